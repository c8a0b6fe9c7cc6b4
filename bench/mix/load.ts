// Sends the mix at a rate that does not wait for answers, as clients in the world do not, and counts what came back.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { acts, Refused, type Answer, type Asked, type Send } from './acts.ts'
import type { Shop } from './shops.ts'

/** `at`: the end, by performance.now(). */
export type Outcome = { status: number; ms: number; at: number; retryAfter: string | undefined }

export type Counted = {
  /** Of every request; those without an answer have the status 0. */
  outcomes: Outcome[]
  /** Errors of acts that are not refusals for now, by their text. */
  faults: Map<string, number>
}

export type Load = {
  counted: Counted
  /** How many acts were begun. */
  readonly acts: number
  /** Sends no more, and waits for what is open. */
  end(): Promise<Counted>
}

/** A refusal for now, which a client repeats later. */
export const isForNow = (status: number): boolean => status === 429 || status === 503

export type LoadOptions = {
  url: string
  shops: Shop[]
  actsPerSecond: number
  connections: number
  /** What is not sent while so many acts are open: a generator that is itself late stays bounded. */
  maxOpen?: number
}

let turn = 0

export function startLoad({ url, shops, actsPerSecond, connections, maxOpen = 5000 }: LoadOptions): Load {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  const counted: Counted = { outcomes: [], faults: new Map() }
  let [openActs, sentActs] = [0, 0]
  const send: Send = (asked) => request(agent, url, asked, (outcome) => counted.outcomes.push(outcome))
  const act = async (n: number) => {
    openActs++
    try {
      await acts[n % acts.length]!.run(shops[n % shops.length]!, n, send)
    } catch (error) {
      const isExpected = error instanceof Refused && (isForNow(error.status) || error.status === 0)
      const text = `${acts[n % acts.length]!.name}: ${(error as Error).message}`.replaceAll(/[\w-]{20,}/g, '…')
      if (!isExpected) counted.faults.set(text, (counted.faults.get(text) ?? 0) + 1)
    } finally {
      openActs--
    }
  }
  const began = performance.now()
  let begun = 0
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * actsPerSecond)
    for (; begun < due; begun++) if (openActs < maxOpen) (sentActs++, void act(turn++))
  }, 5)
  return {
    counted,
    get acts() {
      return sentActs
    },
    async end() {
      clearInterval(timer)
      while (openActs > 0) await sleep(20)
      agent.destroy()
      return counted
    },
  }
}

/** Never rejects: without an answer the status is 0. */
export function request(
  agent: http.Agent,
  url: string,
  { method, path, headers, body }: Asked,
  note: (outcome: Outcome) => void = () => {},
): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve) => {
    const end = (status: number, answered: http.IncomingHttpHeaders, text: string) => {
      const at = performance.now()
      note({ status, ms: at - began, at, retryAfter: answered['retry-after'] })
      resolve({ status, headers: answered, text })
    }
    const lost = (error: Error) => end(0, {}, error.message)
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    http
      .request(url + path, { method, agent, headers: { ...headers, ...length } }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part)).on('error', lost)
        response.on('end', () => end(response.statusCode!, response.headers, Buffer.concat(parts).toString()))
      })
      .on('error', lost)
      .end(body)
  })
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** `200: 120, 503: 3` */
export function statusesOf(outcomes: Outcome[]): string {
  const counts = Map.groupBy(outcomes, ({ status }) => status)
  return [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([status, { length }]) => `${status}: ${length}`)
    .join(', ')
}
