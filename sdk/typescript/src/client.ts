// The client: one request with its retries, and the methods of the table over it.
import { ConnectionError, errorOf, StoaError } from './errors.ts'
import { operations } from './operations.ts'
import { EventFeed, type FeedOptions } from './feed.ts'
import { verify } from './webhooks.ts'
import type { Api, Pagination, Rehearsal } from './types.ts'

export type StoaOptions = {
  /** Address of the server, such as `https://shop.example`. */
  url: string
  /** API key of a store. */
  key?: string
  /** Access token of OAuth, instead of a key. */
  token?: string
  /** Retries of a request after 429, 5xx and failures of the network; 4 by default. */
  retries?: number
  /** Time for one attempt; 60,000 by default. */
  timeoutMs?: number
  /** The longest wait before a retry; an error that demands a longer one is thrown. 90,000 by default. */
  maxWaitMs?: number
  fetch?: typeof fetch
}

export type Options = { signal?: AbortSignal; retries?: number; timeoutMs?: number }

export type WriteOptions = Options & {
  /** Executes the write only if the record is as it was read: the record as a method returned it, or an ETag. */
  ifMatch?: object | string
  /** Returns `{ data, rehearsal }` and changes nothing. */
  dryRun?: boolean
  /** Rejects unknown fields instead of ignoring them. */
  strict?: boolean
  /** Each write has a key of its own by default, which its retries share. */
  idempotencyKey?: string
}

/** What a write would return, and what it would do. */
export type DryRun<T> = { data: T; rehearsal: Rehearsal }

export type Dry<T, O extends WriteOptions> = O extends { dryRun: true } ? DryRun<T> : T

/** `await` it for one page, or iterate over the records of all pages, each of which comes once. */
export type List<T, More> = PromiseLike<{ data: T[] } & More> & AsyncIterable<T>

type Query = { metadata?: Record<string, string> | undefined; [name: string]: any }

type Call = { query?: Query; body?: object; options?: WriteOptions; isRepeatable?: boolean }

export interface Stoa extends Omit<Api, 'events' | 'webhooks'> {
  events: Api['events'] & {
    /** The events after a sequence, and then those to come: it waits for them, and goes on after any failure. */
    after(sequence: number, options?: FeedOptions): EventFeed
  }
  webhooks: Api['webhooks'] & { verify: typeof verify }
}

export class Stoa {
  readonly #options: StoaOptions

  constructor(options: StoaOptions) {
    this.#options = options
    for (const line of operations.trim().split('\n')) attach(this, line)
    this.events.after = (sequence, feed) => new EventFeed(this, sequence, feed)
    this.webhooks.verify = verify
  }

  /** Any request: the whole JSON of its response. */
  async request(method: string, path: string, { query, body, options = {}, isRepeatable }: Call = {}): Promise<any> {
    const { url, key, token, retries: tries = 4, timeoutMs: time = 60_000, maxWaitMs = 90_000 } = this.#options
    const { retries = tries, timeoutMs = time, signal, ifMatch, dryRun, strict, idempotencyKey } = options
    const isForShoppers = path.startsWith('/storefront/')
    const takesKey = !isForShoppers && (method === 'POST' || method === 'PATCH')
    const form = body && formOf(body)
    const preferences = [dryRun && 'dry-run', strict && 'handling=strict'].filter(Boolean)
    const headers = given({
      'X-API-Key': isForShoppers ? undefined : key,
      Authorization: token && !isForShoppers ? `Bearer ${token}` : undefined,
      'Content-Type': body && !form ? 'application/json' : undefined,
      'Idempotency-Key': idempotencyKey ?? (takesKey ? randomKey() : undefined),
      'If-Match': ifMatch === undefined ? undefined : etagOf(ifMatch),
      Prefer: preferences.join(', ') || undefined,
    })
    const address = url.replace(/\/+$/, '') + path + searchOf(query)
    // A redirect would carry the key to another host.
    const init: RequestInit = { method, headers, redirect: isForShoppers ? 'follow' : 'error' }
    if (body) init.body = form ?? JSON.stringify(body)
    const canRepeat = isRepeatable ?? (takesKey || method === 'GET' || method === 'DELETE')
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted()
      const answer = await this.#attempt(address, init, timeoutMs, signal)
      if (!(answer instanceof StoaError)) return accepted(answer, dryRun)
      const waitMs = waitOf(answer, attempt, canRepeat)
      if (waitMs === null || attempt >= retries || waitMs > maxWaitMs) throw answer
      await pause(waitMs, signal)
    }
  }

  async #attempt(
    address: string,
    init: RequestInit,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Answer | StoaError> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const send = this.#options.fetch ?? fetch
      const response = await send(address, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
      const text = await response.text()
      const { status, headers } = response
      const body = headers.get('content-type')?.includes('json') ? JSON.parse(text) : response.ok ? text : null
      return response.ok ? { headers, body } : errorOf(status, headers, body)
    } catch (cause) {
      signal?.throwIfAborted()
      const message = timeout.aborted ? `No response within ${timeoutMs} ms` : `No response: ${reasonOf(cause)}`
      return new ConnectionError({ status: 0, code: timeout.aborted ? 'TIMEOUT' : 'CONNECTION', message }, { cause })
    }
  }
}

type Answer = { headers: Headers; body: any }

const etags = new WeakMap<object, string>()

/** The version of a record that a method returned. Records of lists have none. */
export function etagOf(record: object | string): string {
  const etag = typeof record === 'string' ? record : etags.get(record)
  if (etag === undefined)
    throw new TypeError('ifMatch: this record has no version. Get it by itself before you change it')
  return etag
}

function accepted({ headers, body }: Answer, dryRun?: boolean): unknown {
  if (dryRun && headers.get('preference-applied') !== 'dry-run') {
    const message = 'The server executed the request: it has no dry runs here'
    throw new StoaError({ status: 200, code: 'NO_DRY_RUN', message, headers })
  }
  const etag = headers.get('etag')
  if (etag && typeof body?.data === 'object' && body.data) etags.set(body.data, etag)
  return body
}

/** The wait before the next attempt; null: there is none. */
function waitOf({ status, retryAfterSeconds }: StoaError, attempt: number, canRepeat: boolean): number | null {
  // A refused request had no effect, nor has a 409 with Retry-After.
  const isRefused = status === 429 || (status === 409 && retryAfterSeconds !== null)
  if (!isRefused && !(canRepeat && (status === 0 || status >= 500))) return null
  if (retryAfterSeconds !== null) return retryAfterSeconds * 1000 + Math.random() * 250
  return Math.min(250 * 2 ** attempt, 10_000) * (0.5 + Math.random() / 2)
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

// Adds the method of one line of the table: `orders.refunds.list GET /v1/orders/*/refunds ql`.
function attach(stoa: Stoa, line: string): void {
  const [name, http, path, flags = ''] = line.split(' ') as [string, string, string, string?]
  const nouns = name.split('.')
  const verb = nouns.pop()!
  let owner = stoa as any
  for (const noun of nouns) owner = owner[noun] ??= {}
  owner[verb] = (...args: any[]) => {
    const address = path.replace(/\*/g, () => segmentOf(args.shift(), name))
    const body = flags.includes('b') ? (args.shift() ?? {}) : undefined
    const query = flags.includes('q') ? args.shift() : undefined
    const call: Call = { query, body, options: args.shift() }
    if (/[lp]/.test(flags)) return listOf(stoa, http, address, call, flags.includes('l'))
    return stoa.request(http, address, call).then((answer) => (call.options?.dryRun ? answer : answer.data))
  }
}

/** Without an id, the path would be that of the list. */
function segmentOf(id: unknown, name: string): string {
  if (typeof id !== 'string' || !id || /^\.\.?$/.test(id)) throw new TypeError(`${name}: the id is ${id || 'missing'}`)
  return encodeURIComponent(id)
}

function listOf(stoa: Stoa, http: string, address: string, call: Call, isWalked: boolean): List<unknown, unknown> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- a list is awaited for its first page
    then: (resolve, reject) => stoa.request(http, address, call).then(resolve, reject),
    async *[Symbol.asyncIterator]() {
      const { page, sort, cursor = '' } = call.query ?? {}
      let more: Query | null = isWalked && !page && !sort ? { cursor } : {}
      while (more) {
        const { data, pagination } = await stoa.request(http, address, { ...call, query: { ...call.query, ...more } })
        yield* data
        const { next_cursor: cursor, page, total_pages }: Partial<Pagination> = pagination ?? {}
        more = cursor ? { cursor } : page! < total_pages! ? { page: page! + 1 } : null
      }
    },
  }
}

function searchOf({ metadata, ...query }: Query = {}): string {
  for (const key in metadata) query[`metadata[${key}]`] = metadata[key]
  const search = new URLSearchParams(given(query) as Record<string, string>).toString()
  return search && `?${search}`
}

function given<T>(values: Record<string, T | undefined>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, T>
}

function formOf(body: object): FormData | undefined {
  const entries = Object.entries(body)
  if (!entries.some(([, value]) => value instanceof Blob)) return undefined
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value instanceof Blob ? value : String(value))
  return form
}

/** Pages without a secure context have no randomUUID. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
