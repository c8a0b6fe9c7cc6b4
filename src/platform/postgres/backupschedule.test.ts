import assert from 'node:assert/strict'
import { readdir, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newDataDir, root } from '../../../test/server.ts'
import { openDatabase } from '../../kit/database/open.ts'
import { systemClock } from '../../kit/values/clock.ts'
import { openJobs } from '../process/jobs.ts'
import { backupJob } from './backupschedule.ts'
import { verifyBackup } from './backupreader.ts'

const program = path.join(root, 'src/program/cli.ts')

test('a backup is made once in each period and verified; the oldest are deleted', async (t) => {
  const home = await newDataDir(t)
  const folder = path.join(home, 'backups')
  const url = await newDatabase(t)
  let now = new Date('2026-11-24T10:20:30Z')
  const db = openDatabase({ url, clock: { ...systemClock, now: () => now }, connections: 2 })
  t.after(() => db.close())
  const heard: string[] = []
  const log = {
    info: (_: object, text: string) => heard.push(text),
    error: (_: object, text: string) => heard.push(text),
  }
  const before = { DATA_DIR: process.env.DATA_DIR, DATABASE_URL: process.env.DATABASE_URL }
  Object.assign(process.env, { DATA_DIR: home, DATABASE_URL: url })
  t.after(() => restoreEnv(before))
  const job = backupJob({ folder, everyHours: 6, keep: 2 }, program, log as never)
  const jobs = openJobs({ db, log: log as never, jobs: [{ ...job, everySeconds: 300 }] })
  const runAt = async (time: string) => {
    now = new Date(time)
    const said = heard.length
    await jobs.run('back up')
    return async () => {
      while (heard.length === said) await new Promise((resolve) => setTimeout(resolve, 20))
      return heard.at(-1)
    }
  }
  const files = async () => (await readdir(folder)).toSorted()

  const first = await runAt('2026-11-24T10:20:30Z')
  assert.equal(await first(), 'wrote a backup')
  assert.deepEqual(await files(), ['stoa-20261124T102030Z.zst'])
  await verifyBackup(path.join(folder, 'stoa-20261124T102030Z.zst'))

  await runAt('2026-11-24T11:59:59Z')
  assert.deepEqual([await files(), heard.length], [['stoa-20261124T102030Z.zst'], 1])

  for (const time of ['2026-11-24T12:00:00Z', '2026-11-24T18:03:00Z']) await (await runAt(time))()
  await writeFile(path.join(folder, 'notes.txt'), 'not a backup')
  assert.deepEqual(await files(), ['notes.txt', 'stoa-20261124T120000Z.zst', 'stoa-20261124T180300Z.zst'])

  // Another process is writing one; a killed one has left its draft.
  const drafts = ['1', '2'].map((pid) => path.join(folder, `stoa-20261125T000000Z.zst.draft-${pid}`))
  for (const draft of drafts) await writeFile(draft, 'half')
  const time = new Date('2026-11-25T00:09:00Z')
  await utimes(drafts[0]!, time, time)
  const old = new Date('2026-11-24T23:00:00Z')
  await utimes(drafts[1]!, old, old)
  await runAt('2026-11-25T00:10:00Z')
  assert.deepEqual((await files()).slice(3), ['stoa-20261125T000000Z.zst.draft-1'])
  assert.equal(heard.length, 3)

  // A failed backup is logged and tried again.
  await rm(drafts[0]!)
  process.env.DATABASE_URL = 'postgresql://127.0.0.1:1/stoa'
  assert.equal(await (await runAt('2026-11-25T00:15:00Z'))(), 'a backup failed')
  process.env.DATABASE_URL = url
  assert.equal(await (await runAt('2026-11-25T00:20:00Z'))(), 'wrote a backup')
  assert.deepEqual(await files(), ['notes.txt', 'stoa-20261124T180300Z.zst', 'stoa-20261125T002000Z.zst'])
})

test('a folder that cannot be made fails the job with its name', async (t) => {
  const db = openDatabase({ url: await newDatabase(t), clock: systemClock, connections: 2 })
  t.after(() => db.close())
  const folder = path.join(await newDataDir(t), 'missing', 'backups')
  const job = backupJob({ folder, everyHours: 24, keep: 7 }, program, {} as never)
  const jobs = openJobs({ db, log: {} as never, jobs: [{ ...job, everySeconds: 300 }] })
  await assert.rejects(jobs.run('back up'), /^Error: BACKUP_DIR .*missing\/backups cannot be made: ENOENT/)
})

function restoreEnv(before: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}
