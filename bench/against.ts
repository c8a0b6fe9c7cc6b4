// This tree beside another commit, on the same rows and in turns: npm run bench -- --against COMMIT [--quick] [name …].
// Each side is started by its own `npm start` and has a PostgreSQL of its own. CPU is counted until both are idle
// again, so what a request leaves to jobs and webhooks is part of its cost.
import os from 'node:os'
import { beginEach, complete } from './checkout/shoppers.ts'
import { idsOf } from './compare.ts'
import { smallStores } from './load.ts'
import { measure, type Measured } from './measure.ts'
import { memoryMiBOf } from './processes.ts'
import { table } from './report.ts'
import { chosen, requestsOf, scenarios, type Ids } from './scenarios.ts'
import { cpuOfSide, openSides, untilIdle, type Side } from './sides.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const checkoutsPerSecond = 300

type Round = { perSecond: number; failed: number; node: number; postgres: number }
type Work = { name: string; run(side: Side): Promise<Round> }
type Line = { name: string; theirs: Round[]; ours: Round[] }

export async function compareWith(commit: string, names: string[], isQuick: boolean): Promise<string> {
  const { ours, theirs, stop } = await openSides(commit)
  try {
    const works = chosen(worksOf(await idsOf(ours.url)), names, isQuick)
    const atRest = [theirs, ours].map((side) => memoryMiBOf(side.pid))
    const lines: Line[] = []
    for (const work of works) lines.push(await inTurns(work, theirs, ours))
    const afterwards = [theirs, ours].map((side) => memoryMiBOf(side.pid))
    return reportOf(commit, lines, { atRest, afterwards })
  } finally {
    await stop()
  }
}

function worksOf(ids: Ids): (Work & { isShort: boolean })[] {
  const byRequests = scenarios.map((scenario) => ({
    name: scenario.name,
    isShort: scenario.isShort ?? false,
    run: (side: Side) => counted(side, () => measure(side, requestsOf(scenario, ids), seconds)),
  }))
  const completion = {
    name: 'complete a checkout',
    isShort: true,
    async run(side: Side) {
      const { tokens } = await beginEach(side, seconds * checkoutsPerSecond, (n) => checkoutOf(ids, n))
      await untilIdle(side)
      return counted(side, () => complete(side, tokens))
    },
  }
  return [...byRequests, completion]
}

export function checkoutOf({ plain }: Ids, n: number) {
  const store = (n % smallStores) + 1
  const customer = { name: 'Customer 1', email: 'customer1@example.com' }
  const address = { address: 'Main Street 12', city: 'Springfield', country_code: 'US', postal_code: '62701' }
  const items = [{ product_id: plain[store - 1], quantity: 1 }]
  return { slug: `bench-${store}`, body: { items, customer, shipping_address: { ...address, province: 'IL' } } }
}

/** The work with everything that follows it, in CPU microseconds a request. */
async function counted(side: Side, work: () => Promise<Measured>): Promise<Round> {
  const before = cpuOfSide(side)
  const { perSecond, failed, count } = await work()
  await untilIdle(side)
  const after = cpuOfSide(side)
  const each = (name: 'node' | 'postgres') => (after[name] - before[name]) / count
  return { perSecond, failed, node: each('node'), postgres: each('postgres') }
}

async function inTurns({ name, run }: Work, theirs: Side, ours: Side): Promise<Line> {
  const line: Line = { name, theirs: [], ours: [] }
  for (const side of [theirs, ours]) await run(side) // prepared statements, caches, compiled code
  for (let round = 0; round < rounds; round++) {
    const turns = [
      ['theirs', theirs],
      ['ours', ours],
    ] as const
    for (const [whose, side] of round % 2 === 0 ? turns : turns.toReversed()) line[whose].push(await run(side))
  }
  console.log(`${name}: ${middle(ratiosOf(line)).toFixed(2)}`)
  return line
}

const cpuOf = ({ node, postgres }: Round) => node + postgres
const ratiosOf = ({ theirs, ours }: Line) => ours.map((round, index) => cpuOf(round) / cpuOf(theirs[index]!))

function middle(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}

function reportOf(commit: string, lines: Line[], memory: { atRest: number[]; afterwards: number[] }): string {
  const load = os.loadavg()[0]!.toFixed(1)
  const header = ['scenario', `CPU ÷ ${commit}`, 'spread', 'Node µs', 'PostgreSQL µs', 'requests/s', 'failed']
  const ofBoth = (line: Line, pick: (round: Round) => number) =>
    [line.theirs, line.ours].map((side) => middle(side.map(pick)).toFixed(0)).join(' → ')
  const cells = (line: Line) => {
    const ratios = ratiosOf(line).toSorted((a, b) => a - b)
    return [
      line.name,
      `**${middle(ratios).toFixed(2)}**`,
      `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`,
      ofBoth(line, ({ node }) => node),
      ofBoth(line, ({ postgres }) => postgres),
      ofBoth(line, ({ perSecond }) => perSecond),
      [...line.theirs, ...line.ours].reduce((sum, { failed }) => sum + failed, 0),
    ]
  }
  return `This commit beside ${commit}: ${os.availableParallelism()} cores (load ${load}), Node ${process.version},
${rounds} rounds of ${seconds} s in turns, medians, the same rows: ${smallStores} stores × 1,000 products, half with two
variants, all tracked; 1,000 orders and a webhook a store. CPU in µs a request, until both servers are idle again.

${table(header, lines.map(cells))}

Memory of the server at rest: ${memory.atRest.join(' → ')} MiB; afterwards: ${memory.afterwards.join(' → ')} MiB.`
}
