// node bench/memory.ts: answers from memory beside the same answers when they are made, and node:http with their bytes,
// in turns. Results in bench/RESULTS.md, "Answers from memory". BENCH_SCALE (10), BENCH_SECONDS (3) and BENCH_ROUNDS
// (3) change what it takes.
import type { Request } from './generator.ts'
import type { Measurable, Measured } from './measure.ts'

Object.assign(process.env, { BENCH_SCALE: '10', ...process.env })
// The modules below read the environment when they are loaded.
const { bareServer, idsOf } = await import('./compare.ts')
const { measure, median } = await import('./measure.ts')
const { serve } = await import('./processes.ts')
const { table } = await import('./report.ts')
const { writeSection } = await import('./results.ts')
const { requestsOf, scenarios } = await import('./scenarios.ts')
const { openWorld } = await import('./world.ts')

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)

const cold = await openWorld('quick', 4161)
const kept = await serve('src/program/main.ts', 4162, '/readyz', { ...cold.environment, CACHE_MAX_MB: '64' })
try {
  const lines: string[][] = []
  for (const [name, requests] of Object.entries(await worksOf())) lines.push(await lineOf(name, requests))
  const head = ['', 'bare /s', 'kept /s', 'made /s', 'kept ÷ bare', 'kept ÷ made', 'CPU µs kept', 'CPU µs made']
  const about = `16 connections, ${rounds} rounds of ${seconds} s in turns, medians; CPU is Node's and PostgreSQL's.`
  const text = `${about}\n\n${table(head, lines)}`
  console.log(text)
  writeSection('Answers from memory', text)
} finally {
  await kept.stop()
  await cold.stop()
}

async function worksOf(): Promise<Record<string, Request[]>> {
  const ids = await idsOf(cold.url)
  const of = (name: string) =>
    requestsOf(
      scenarios.find((scenario) => scenario.name === name)!,
      ids,
    )
  const list = of('page 1 of the large store')
  const { data } = (await (await fetch(cold.url + list[0]!.path, { headers: list[0]!.headers })).json()) as {
    data: { id: string }[]
  }
  const one = list.map((request) => ({ ...request, path: `/v1/products/${data[0]!.id}` }))
  const shop = of('home page').map((request) => ({ ...request, path: '/s/bench-1' }))
  return { list: list, 'one product': one, 'home page': shop }
}

async function lineOf(name: string, requests: Request[]): Promise<string[]> {
  const bare = await bareServer(cold.url, requests[0]!)
  const sides: Record<'bare' | 'kept' | 'made', { side: Measurable; asked: Request[]; results: Measured[] }> = {
    bare: { side: bare, asked: [{ method: 'GET', path: '/' }], results: [] },
    kept: { side: { ...kept, postmaster: cold.postmaster }, asked: requests, results: [] },
    made: { side: cold, asked: requests, results: [] },
  }
  for (let round = 0; round <= rounds; round++) {
    for (const { side, asked, results } of Object.values(sides)) {
      const measured = await measure(side, asked, seconds)
      if (measured.failed > 0) throw new Error(`${name}: ${measured.failed} failed`)
      // The first fills memory and prepares statements.
      if (round > 0) results.push(measured)
    }
  }
  await bare.stop()
  const [ofBare, ofKept, ofMade] = [sides.bare, sides.kept, sides.made].map(({ results }) => median(results)) as [
    Measured,
    Measured,
    Measured,
  ]
  const cpu = ({ nodeMicroseconds, postgresMicroseconds }: Measured) =>
    (nodeMicroseconds + postgresMicroseconds).toFixed(0)
  return [
    name,
    ...[ofBare, ofKept, ofMade].map(({ perSecond }) => perSecond.toFixed(0)),
    (ofKept.perSecond / ofBare.perSecond).toFixed(2),
    (ofKept.perSecond / ofMade.perSecond).toFixed(1),
    cpu(ofKept),
    cpu(ofMade),
  ]
}
