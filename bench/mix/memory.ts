// The memory and open handles of a server's processes, and how fast they grow.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export type Sample = { minute: number; values: Record<string, number> }

/** By name: the server, its workers, and what else it has started. */
export function processesOf(pid: number): Record<string, number> {
  const below = (parent: number): number[] => {
    const children = textOf(`/proc/${parent}/task/${parent}/children`).split(' ').filter(Boolean).map(Number)
    return children.flatMap((child) => [child, ...below(child)])
  }
  const all = below(pid).map((child) => [nameOf(child), child] as const)
  return { server: pid, ...Object.fromEntries(all.map(([name, child], n) => [`${name} ${n + 1}`, child])) }
}

function nameOf(pid: number): string {
  return /([\w-]+)\.[jt]s/.exec(textOf(`/proc/${pid}/cmdline`))?.[1] ?? 'process'
}

export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

/** Of a PostgreSQL server: what its processes share is counted once. */
export function residentMbOfPostgres(postmaster: number): number {
  const children = textOf(`/proc/${postmaster}/task/${postmaster}/children`).split(' ').filter(Boolean).map(Number)
  return sumOfShares([postmaster, ...children])
}

/** Their memory in MB; what they share is counted once. */
export function sumOfShares(pids: readonly number[]): number {
  const share = (pid: number) => Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0)
  return pids.reduce((sum, pid) => sum + share(pid), 0) / 1024
}

export function openHandles(pid: number): { files: number; sockets: number } {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        return ''
      }
    })
    const sockets = links.filter((link) => link.startsWith('socket:')).length
    return { files: links.length - sockets, sockets }
  } catch {
    return { files: 0, sockets: 0 }
  }
}

/** A metric of the server, the sum over its labels. */
export function metricOf(text: string, name: string): number {
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0)
}

/** The growth a minute of the least of each minute: between two collections a heap grows whatever happens. */
export function slopeOf(samples: Sample[], name: string): number {
  const leastOf = Map.groupBy(samples, ({ minute }) => Math.floor(minute))
  const points = [...leastOf].map(([minute, some]) => [minute, Math.min(...some.map(({ values }) => values[name]!))])
  const [meanX, meanY] = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis]!, 0) / points.length)
  const [above, below] = points.reduce(
    ([xy, xx], [x, y]) => [xy! + (x! - meanX!) * (y! - meanY!), xx! + (x! - meanX!) ** 2],
    [0, 0],
  )
  return below ? above! / below : 0
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
