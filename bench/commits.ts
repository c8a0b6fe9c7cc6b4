// Commits a second by pgbench alone: the exchanges of POST /v1/products (product, event, delivery, counter) beside the
// bare insert of the same row. With the data of `npm run bench`.
import { pgbench, type PgbenchResult } from './pgbench.ts'
import { median } from './measure.ts'
import { replayWrite } from './replay.ts'
import { writeSection } from './results.ts'
import { scenarios } from './scenarios.ts'
import { openWorld } from './world.ts'

const rounds = 5
const seconds = 3
const creation = scenarios.find(({ name }) => name === 'create product')!

const world = await openWorld('full', 4101)
const whole = await replayWrite((store) => world.exchangesOf(store, creation.request(store, { plain: [], any: [] }, 0)))
const bare = await replayWrite(async (store) => {
  const exchanges = await world.exchangesOf(store, creation.request(store, { plain: [], any: [] }, 0))
  return [exchanges.flat().filter(({ text }) => text.includes('insert into products'))]
})
const target = { url: world.database, postmaster: world.postmaster }
const results: Record<'bare' | 'whole', PgbenchResult[]> = { bare: [], whole: [] }
for (let round = 0; round < rounds; round++) {
  for (const [name, replay] of Object.entries({ bare, whole })) {
    const options = { clients: 16, settings: world.settings }
    results[name as 'bare' | 'whole'].push(await pgbench(target, replay, seconds, options))
  }
}
await world.stop()

const medians = { bare: median(results.bare), whole: median(results.whole) }
const row = (name: string, { perSecond, cpuMicroseconds }: PgbenchResult) =>
  `| ${name} | ${perSecond.toFixed(0)} | ${cpuMicroseconds.toFixed(0)} |`
const report = `pgbench, 16 connections, ${rounds} rounds of ${seconds} s in turns, medians.

| | commits/s | PostgreSQL µs |
| --- | --- | --- |
${row('the bare insert of a product', medians.bare)}
${row('its creation: product, event, delivery, counter', medians.whole)}

A creation reaches ${(medians.whole.perSecond / medians.bare.perSecond).toFixed(2)} of the bare insert.`
console.log(report)
writeSection('Commits of a creation', report)
