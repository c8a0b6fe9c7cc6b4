import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../test/world.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { sql } from '../../kit/database/sql.ts'
import { openJobs, type Job } from './jobs.ts'
import { openLog } from './log.ts'
import { metrics } from './metrics.ts'

const {
  app: { db },
} = await openWorld()
const log = openLog('silent')

function jobsOf(job: Partial<Job>, name = `job ${newUuid()}`) {
  const jobs = openJobs({ db, log, jobs: [{ name, everySeconds: 3600, run: async () => {}, ...job }] })
  return { ...jobs, name, now: () => jobs.run(name) }
}

test('a job runs in a transaction, in rounds while work is left', async () => {
  let rounds = 0
  const done: string[] = []
  const { now } = jobsOf({
    async run(tx) {
      await tx.rows(sql`select 1`)
      rounds++
      return { more: rounds < 3, afterwards: async () => done.push(`after ${rounds}`) }
    },
  })
  assert.equal(await now(), true)
  assert.deepEqual([rounds, done], [3, ['after 1', 'after 2', 'after 3']])
})

test('a job that names the time of its next run is run then, before its period has passed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const times: Date[] = []
  const next = new Date(db.clock.now().getTime() + 1500)
  const jobs = openJobs({
    db,
    log,
    jobs: [
      {
        name: `job ${newUuid()}`,
        everySeconds: 1.2,
        async run({ now }) {
          times.push(now)
          if (now < next) return { next }
          resolve()
        },
      },
    ],
  })
  jobs.start()
  await promise
  await jobs.stop()
  assert.equal(times.length, 2)
  assert.ok(times[1]! >= next)
})

test('one of several nodes runs a job', async () => {
  let running = 0,
    most = 0,
    runs = 0
  const name = `job ${newUuid()}`
  const run: Job['run'] = async (tx) => {
    runs++
    most = Math.max(most, ++running)
    await tx.rows(sql`select pg_sleep(0.2)`)
    running--
  }
  const nodes = Array.from({ length: 4 }, () => jobsOf({ run }, name))
  const answers = await Promise.all(nodes.map(({ now }) => now()))
  assert.deepEqual([answers.filter(Boolean).length, runs, most], [1, 1, 1])
})

test('a job that fails changes nothing, is counted, and releases its lock', async () => {
  const marker = `job test ${newUuid()}`
  let fails = true
  const { now, name } = jobsOf({
    async run(tx) {
      tx.later(sql`insert into plans (id, name, limits, features) values (${marker}, 'Test', '{}', '{}')`)
      if (fails) throw new Error('no')
    },
  })
  const known = async () => (await db.rows(sql`select from plans where id = ${marker}`)).length
  await assert.rejects(now(), /^Error: no$/)
  assert.equal(await known(), 0)
  fails = false
  assert.equal(await now(), true)
  assert.equal(await known(), 1)
  await db.rows(sql`delete from plans where id = ${marker}`)
  const text = await metrics.metrics()
  assert.ok(text.includes(`job_runs_total{job="${name}",outcome="failed"} 1`))
  assert.ok(text.includes(`job_runs_total{job="${name}",outcome="done"} 1`))
})

test('started jobs run by schedule, and stopping waits for the running one', async () => {
  const seen = { begun: 0, ended: 0 }
  let begin: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const jobs = jobsOf({
    everySeconds: 0.01,
    async run(tx) {
      if (++seen.begun === 3) begin()
      await tx.rows(sql`select pg_sleep(0.05)`)
      seen.ended++
    },
  })
  jobs.start()
  await begun
  await jobs.stop()
  assert.equal(seen.begun, seen.ended)
  const { begun: before } = { ...seen }
  await new Promise((wake) => setTimeout(wake, 100))
  assert.equal(seen.begun, before)
})
