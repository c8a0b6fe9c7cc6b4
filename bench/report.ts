// The comparison as a table: ratios of requests beside ratios of CPU time.
import { cpus } from 'node:os'
import type { Compared, Row } from './compare.ts'
import { connections, hasWrk } from './generator.ts'
import { productsOfLarge, smallStores } from './load.ts'
import type { Measured } from './measure.ts'

export function reportOf({ rows, neighbours, memoryMiB, seconds, rounds }: Compared): string {
  const stores = smallStores.toLocaleString('en')
  return `${cpus().length} cores shared by the server, PostgreSQL and the load (${hasWrk ? 'wrk' : 'autocannon'}, a \
process of its own); Node ${process.version}, ${connections}
connections, ${rounds} rounds of ${seconds} s in turns, medians. ${stores} stores × 1,000 products, one of \
${productsOfLarge.toLocaleString('en')}; half of the products have two
variants, all track their stock; 1,000 orders and a webhook a store. CPU in µs a request. Bare is node:http with the
same bytes; pgbench runs the same statements in the same exchanges, as fast as it can and at the rate of our requests.

${table(figures, rows.map(figuresOf))}

Ratios of requests are better when larger, and count what else the cores are busy with; those of CPU time are better
when smaller, and do not.

${table(ratios, rows.map(ratiosOf))}

- The list of one store among ${(smallStores + 1).toLocaleString('en')} takes Node and PostgreSQL \
${ratio(cpuOf(neighbours.full), cpuOf(neighbours.alone))} times the CPU that it takes alone in the database, with the
  same rows: ${neighbours.full.perSecond.toFixed(0)} a second against ${neighbours.alone.perSecond.toFixed(0)}.
- ${deepPage(rows)}
- Memory of the server afterwards: ${memoryMiB} MiB.`
}

const latencies = ['p50 ms', 'p99 ms']
const costs = ['Node µs', 'PostgreSQL µs', 'load µs', 'statements', 'exchanges']
const figures = ['scenario', 'requests/s', ...latencies, ...costs, 'failed']
const database = ['database CPU ÷ pgbench', 'the same at our rate']
const ratios = ['scenario', 'requests ÷ bare', 'CPU ÷ bare', 'requests ÷ pgbench', ...database]

function figuresOf({ scenario, ours, replay }: Row): (string | number)[] {
  return [
    scenario.name,
    ours.perSecond.toFixed(0),
    ours.p50.toFixed(1),
    ours.p99.toFixed(1),
    ours.nodeMicroseconds.toFixed(0),
    ours.postgresMicroseconds.toFixed(0),
    ours.loadMicroseconds?.toFixed(0) ?? '–',
    replay?.statements ?? '–',
    replay?.exchanges ?? '–',
    ours.failed,
  ]
}

function ratiosOf({ scenario, ours, bare, sql, paced }: Row): string[] {
  return [
    scenario.name,
    ratio(ours.perSecond, bare?.perSecond),
    ratio(cpuOf(ours), bare?.nodeMicroseconds),
    ratio(ours.perSecond, sql?.perSecond),
    ratio(ours.postgresMicroseconds, sql?.cpuMicroseconds),
    ratio(ours.postgresMicroseconds, paced?.cpuMicroseconds),
  ]
}

function cpuOf({ nodeMicroseconds, postgresMicroseconds }: Measured): number {
  return nodeMicroseconds + postgresMicroseconds
}

function ratio(a: number | undefined, b: number | undefined): string {
  return a && b ? (a / b).toFixed(a / b < 0.1 ? 3 : a / b < 10 ? 2 : 1) : '–'
}

function deepPage(rows: Row[]): string {
  const of = (name: string) => rows.find(({ scenario }) => scenario.name === name)?.ours
  const [first, deep] = [of('page 1 of the large store'), of('a deep page of it')]
  const times = ratio(deep && cpuOf(deep), first && cpuOf(first))
  return `A page at half of the large store takes ${times} times the CPU of page 1.`
}

export function table(header: string[], rows: (string | number)[][]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
