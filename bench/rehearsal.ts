// What a rehearsal costs beside the write that it rehearses, in turns in one run.
// BENCH_SCALE=10 npx node bench/rehearsal.ts [rounds] [seconds]
import os from 'node:os'
import { idsOf } from './compare.ts'
import type { Request } from './generator.ts'
import { keyOf, smallStores } from './load.ts'
import { measure, median, type Measured } from './measure.ts'
import { scenarios, requestsOf, type Ids } from './scenarios.ts'
import { openWorld } from './world.ts'

const [rounds = 3, seconds = 3] = process.argv.slice(2).map(Number)

const world = await openWorld('quick', 4131)
try {
  const ids = await idsOf(world.url)
  console.log(`load ${os.loadavg()[0]!.toFixed(1)} of ${os.availableParallelism()} processors`)
  for (const [name, requests] of writesOf(ids)) await compare(name, requests)
} finally {
  await world.stop()
}

function writesOf(ids: Ids): [name: string, requests: Request[]][] {
  const named = ['create product', 'create order'].map(
    (name) =>
      [
        name,
        requestsOf(
          scenarios.find((scenario) => scenario.name === name)!,
          ids,
        ),
      ] as [string, Request[]],
  )
  const patches = Array.from({ length: smallStores }, (_, index): Request => {
    const headers = { 'x-api-key': keyOf(index + 1), 'content-type': 'application/json' }
    const body = JSON.stringify({ price: 12.5, description: `Made to last. ${index}` })
    return { method: 'PATCH', path: `/v1/products/${ids.plain[index]}`, headers, body }
  })
  return [...named, ['patch product', patches]]
}

async function compare(name: string, writes: Request[]): Promise<void> {
  const rehearsals = writes.map((write) => ({ ...write, headers: { ...write.headers, prefer: 'dry-run' } }))
  for (const requests of [rehearsals, writes]) await measure(world, requests, 1)
  const measured: { rehearsed: Measured; written: Measured }[] = []
  for (let round = 0; round < rounds; round++) {
    const rehearsed = await measure(world, rehearsals, seconds)
    measured.push({ rehearsed, written: await measure(world, writes, seconds) })
  }
  const [rehearsed, written] = [
    median(measured.map((round) => round.rehearsed)),
    median(measured.map((round) => round.written)),
  ]
  const ratios = measured.map((round) => cpuOf(round.rehearsed) / cpuOf(round.written)).toSorted((a, b) => a - b)
  const figures = [
    `${(cpuOf(rehearsed) / cpuOf(written)).toFixed(2)} of the CPU`,
    `rounds ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
    `Node ${rehearsed.nodeMicroseconds.toFixed(0)} to ${written.nodeMicroseconds.toFixed(0)} µs`,
    `PostgreSQL ${rehearsed.postgresMicroseconds.toFixed(0)} to ${written.postgresMicroseconds.toFixed(0)} µs`,
    `failed ${rehearsed.failed + written.failed}`,
  ]
  console.log(`${name}: ${figures.join('; ')}`)
}

function cpuOf({ nodeMicroseconds, postgresMicroseconds }: Measured): number {
  return nodeMicroseconds + postgresMicroseconds
}
