// The guarded fetch: the one way to call a URL that a stranger chose (webhook deliveries, client metadata documents).
// https only, public addresses only, no redirects, no decompression; every call ends by its deadline.
import { Pool, type buildConnector, type Dispatcher } from 'undici'
import type { Reason } from '../../kit/values/faults.ts'
import { notPublic, refuseUrl, type Network } from './addresses.ts'
import { checkedAddresses, guardedConnector } from './connect.ts'
import { addressNotAllowed, failed, failureOf, type Failure, type FailureClass } from './failures.ts'
import { nameLookup, type NameResolver } from './names.ts'

export { parseNetworks } from './addresses.ts'
export type { FailureClass, NameResolver }

type Answered = { ok: true; status: number; headers: Record<string, string>; body: string; truncated: boolean }
/** body is at most maxResponseBytes as text; durationMs is a whole number. The merchant may read `message`. */
export type Outcome = { durationMs: number } & (Answered | ({ ok: false } & Failure))

/**
 * Calls of one lane share at most 8 connections to an origin and wait for each other; calls of different lanes never
 * do. Give each party its own, else one hanging path of a shared host delays all others on it.
 */
type CallOptions = { headers?: Record<string, string>; lane?: string; timeoutMs?: number; maxResponseBytes?: number }

export type GuardedFetch = {
  post: (url: string, options: CallOptions & { body: string | Uint8Array }) => Promise<Outcome>
  get: (url: string, options?: CallOptions) => Promise<Outcome>
  /** refuseUrl, and the name resolved: a reason when any of its addresses is private. A dead name is no reason. */
  resolveCheck: (url: string) => Promise<Reason | null>
  /** Connection pools held now; a pool leaves when its last connection does. */
  poolCount: () => number
  /** Waits for the calls under way; later ones are rejected. */
  close: () => Promise<void>
}

export type FetchOptions = {
  allowedNetworks: readonly Network[]
  resolver?: NameResolver
  /** PEM certificates trusted beside the default roots and those of NODE_EXTRA_CA_CERTS. */
  ca?: string | string[]
  connectTimeoutMs?: number
  resolveTimeoutMs?: number
  resolveTtlMs?: number
  idleTimeoutMs?: number
}

const maxConnections = 8
const maxHeaderBytes = 16_384
const maxTargets = 2_000
const defaultTimeoutMs = 15_000
const defaultMaxResponseBytes = 65_536

export function guardedFetch(options: FetchOptions): GuardedFetch {
  const { allowedNetworks, idleTimeoutMs = 4_000 } = options
  const lookUp = nameLookup({
    resolver: options.resolver,
    timeoutMs: options.resolveTimeoutMs,
    ttlMs: options.resolveTtlMs,
  })
  const addressesOf = checkedAddresses(lookUp, allowedNetworks)
  const connect = guardedConnector({
    addressesOf,
    allowedNetworks,
    ca: options.ca,
    timeoutMs: options.connectTimeoutMs ?? 5_000,
  })
  const pools = lanePools(connect, idleTimeoutMs)
  const targets = new Map<string, Target>()
  let isClosed = false

  // The same URL is called again and again; what is remembered does not depend on any resolver.
  const targetOf = (url: string): Target => {
    const known = targets.get(url)
    if (known) return known
    if (targets.size >= maxTargets) targets.clear()
    const target = readTarget(url, allowedNetworks)
    targets.set(url, target)
    return target
  }

  const call = async (method: 'GET' | 'POST', url: string, given: CallOptions & { body?: string | Uint8Array }) => {
    if (isClosed) throw new Error('the guarded fetch is closed')
    const { refusal, origin, path } = targetOf(url)
    if (refusal !== null) return refused(refusal)
    const request = { method, path, headers: given.headers, body: given.body }
    const { lane = '', timeoutMs = defaultTimeoutMs, maxResponseBytes = defaultMaxResponseBytes } = given
    return exchange(pools.of(origin, lane), request, timeoutMs, maxResponseBytes)
  }

  return {
    post: (url, given) => call('POST', url, given),
    get: (url, given = {}) => call('GET', url, given),
    resolveCheck: async (url) => {
      const refusal = refuseUrl(url, allowedNetworks)
      if (refusal) return refusal
      try {
        await addressesOf(new URL(url).hostname)
        return null
      } catch (error) {
        return failureOf(error as Error, 'resolve').error === 'BLOCKED_ADDRESS' ? notPublic : null
      }
    },
    poolCount: pools.count,
    close: async () => {
      isClosed = true
      await pools.close()
    },
  }
}

type Target = { refusal: Reason | null; origin: string; path: string }

function readTarget(url: string, allowedNetworks: readonly Network[]): Target {
  const refusal = refuseUrl(url, allowedNetworks)
  if (refusal) return { refusal, origin: '', path: '' }
  const { origin, pathname, search } = new URL(url)
  return { refusal, origin, path: pathname + search }
}

function refused(reason: Reason): Outcome {
  const message = addressNotAllowed(reason)
  return { ok: false, error: 'BLOCKED_ADDRESS', message, detail: message, durationMs: 0 }
}

// undici's Agent keeps one pool for an origin; here it is one for a lane on it.
function lanePools(connect: buildConnector.connector, idleTimeoutMs: number) {
  const pools = new Map<string, Pool>()

  const open = (key: string, origin: string): Pool => {
    const pool = new Pool(origin, {
      connect,
      connections: maxConnections,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      // A call's own deadline covers all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleTimeoutMs,
      // The most that a receiver may ask for in its Keep-Alive header.
      keepAliveMaxTimeout: 30_000,
    })
    const release = () => {
      if (pool.stats.connected > 0 || pool.stats.size > 0) return
      if (pools.get(key) === pool) pools.delete(key)
      if (!pool.closed) void pool.close()
    }
    // A call that was broken off still counts until the turn of the event is over.
    const releaseSoon = () => {
      setImmediate(release)
    }
    pool.on('disconnect', releaseSoon).on('connectionError', releaseSoon)
    pools.set(key, pool)
    return pool
  }

  return {
    of: (origin: string, lane: string): Pool => {
      const key = `${origin} ${lane}`
      return pools.get(key) ?? open(key, origin)
    },
    count: () => pools.size,
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
      pools.clear()
    },
  }
}

// undici's request() would cost a stream for each answer, and looks at an AbortSignal only once there is a connection.
function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
  maxBytes: number,
): Promise<Outcome> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let status = 0
    let headers: Record<string, string> = {}
    let running: Dispatcher.DispatchController | undefined
    let isOver = false

    const durationMs = () => Math.round(performance.now() - startedAt)
    const end = (finish: () => void) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      finish()
    }
    const fail = (error: Error) =>
      end(() => {
        if (mistakes.has((error as NodeJS.ErrnoException).code ?? '')) reject(error)
        else resolve({ ok: false, ...failureOf(error, 'answer'), durationMs: durationMs() })
      })
    const answer = (truncated: boolean) =>
      end(() => {
        const body = Buffer.concat(chunks).toString()
        resolve({ ok: true, status, headers, body, truncated, durationMs: durationMs() })
      })
    const timer = setTimeout(() => {
      const seconds = timeoutMs / 1_000
      const progress = status ? `status ${status}, ${size} bytes of body` : running ? 'no answer' : 'no connection'
      const late = failed('TIMEOUT', `No complete answer within ${seconds} s.`, `${progress} after ${seconds} s`)
      fail(late)
      running?.abort(late)
    }, timeoutMs)

    pool.dispatch(request, {
      onRequestStart: (controller) => {
        if (isOver) throw new Error('the deadline passed while the call waited for a connection')
        running = controller
      },
      // Also called for 1xx; the last one is the answer's.
      onResponseStart: (_controller, statusCode, received) => {
        status = statusCode
        headers = joined(received)
      },
      onResponseData: (controller, chunk) => {
        const room = maxBytes - size
        chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
        size += chunk.length
        if (size <= maxBytes) return
        answer(true)
        controller.abort(new Error('the body is larger than it may be'))
      },
      onResponseEnd: () => answer(false),
      onResponseError: (_controller, error) => fail(error),
    })
  })
}

// Faults of the caller: a header that cannot be sent, a call after close().
const mistakes = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
])

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (Array.isArray(value)) headers[name] = value.join(', ')
  }
  return headers as Record<string, string>
}
