// Requests a second, their latency, and the CPU time that each costs the server, PostgreSQL and the load itself.
import { generate, type Request } from './generator.ts'
import { cpuOf, cpuOfPostgres } from './processes.ts'

export type { Request } from './generator.ts'
export type Measured = {
  count: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  failed: number
  nodeMicroseconds: number
  postgresMicroseconds: number
  /** What sending it and reading its answer cost the generator, where that is a process of its own. */
  loadMicroseconds?: number
}

export type Measurable = { url: string; pid: number; postmaster?: number | undefined }

/** Sends the requests in turn over 16 connections for so many seconds. */
export async function measure(
  { url, pid, postmaster }: Measurable,
  requests: Request[],
  seconds: number,
): Promise<Measured> {
  const postgres = () => (postmaster === undefined ? 0 : cpuOfPostgres(postmaster))
  const [node, database] = [cpuOf(pid), postgres()]
  const { count, took, p50, p99, failed, cpuMicroseconds } = await generate(url, requests, seconds)
  return {
    count,
    perSecond: count / took,
    p50,
    p99,
    failed,
    nodeMicroseconds: (cpuOf(pid) - node) / count,
    postgresMicroseconds: (postgres() - database) / count,
    loadMicroseconds: cpuMicroseconds / count,
  }
}

/** Of several rounds the one in the middle, by requests a second. */
export function median<T extends { perSecond: number }>(rounds: T[]): T {
  return rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)]!
}
