import autocannon from 'autocannon'
import { cpuOf, cpuOfPostgres } from './processes.ts'

export type Request = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  headers?: Record<string, string>
  body?: string
}
export type Measured = {
  perSecond: number
  p50: number
  p99: number
  failed: number
  nodeMicroseconds: number
  postgresMicroseconds: number
}

/** Sends the requests in turn over 16 connections for so many seconds. */
export async function measure(
  { url, pid, postmaster }: { url: string; pid: number; postmaster?: number | undefined },
  requests: Request[],
  seconds: number,
): Promise<Measured> {
  const postgres = () => (postmaster === undefined ? 0 : cpuOfPostgres(postmaster))
  const [node, database] = [cpuOf(pid), postgres()]
  const result = await autocannon({ url, connections: 16, duration: seconds, requests: requests as never })
  const count = result.requests.total
  return {
    perSecond: count / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
    nodeMicroseconds: (cpuOf(pid) - node) / count,
    postgresMicroseconds: (postgres() - database) / count,
  }
}

/** Of several rounds the one in the middle, by requests a second. */
export function median<T extends { perSecond: number }>(rounds: T[]): T {
  return rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)]!
}
