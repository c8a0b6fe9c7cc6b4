// A distributed database at rest: how often a server that has nothing to do asks all of its nodes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { ownDatabase } from '../database.ts'
import { bindingsOf } from '../statements.ts'
import { openWorld } from '../world.ts'
import { newJudge, type Judge } from './judge.ts'

const database = await ownDatabase()
const client = new pg.Client({ connectionString: database.url })
client.on('error', () => {})
await client.connect()
after(() => client.end().catch(() => {}))
const { app } = await openWorld({ DISTRIBUTED: 'on' }, { database })

test('jobs with nothing to do ask all nodes at most 24 times a minute together', async () => {
  const judge = await newJudge(client)
  let perMinute = 0
  for (const { name, everySeconds } of app.jobs.list) {
    assert.ok(everySeconds >= 60, name)
    // Other work of the process would count too, and doesn't come three times.
    const counts = [await countFanOuts(name, judge), await countFanOuts(name, judge), await countFanOuts(name, judge)]
    perMinute += (Math.min(...counts) * 60) / everySeconds
  }
  assert.ok(perMinute > 0 && perMinute <= 24, `${perMinute}`)
})

async function countFanOuts(job: string, judge: Judge): Promise<number> {
  const sent = await bindingsOf(() => app.jobs.run(job))
  let count = 0
  for (const { text } of sent) if ((await judge(text)).includes('store')) count++
  return count
}
