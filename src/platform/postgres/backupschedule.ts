// Backups by schedule. A process of its own writes and verifies each: the server does not wait for it, nor spend its
// memory on it. The names of the files say when each was made.
import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { Gauge } from 'prom-client'
import type { JobWork } from '../process/jobs.ts'
import type { Log } from '../process/log.ts'
import { metrics } from '../process/metrics.ts'

export type BackupSchedule = {
  folder: string
  everyHours: number
  /** The number of backups that remain. */
  keep: number
}

/** One backup in each period, counted from midnight UTC. `program` is the command line's own. */
export function backupJob(schedule: BackupSchedule | null, program: string, log: Log): JobWork {
  return {
    name: 'back up',
    async run(tx) {
      if (!schedule) return
      const { folder, everyHours } = schedule
      await makeFolder(folder)
      const [newest] = await backupTimes(folder)
      const next = newest ? nextAfter(newest, everyHours) : tx.now.getTime()
      due.set(next / 1000)
      if (tx.now.getTime() < next || (await isRunning(folder, tx.now))) return
      const file = path.join(folder, nameAt(tx.now))
      return {
        // Not awaited, as it outlasts a job: its draft shows other processes that it is running.
        afterwards: async () =>
          void write(file, schedule, program).then(
            () => log.info({ file }, 'wrote a backup'),
            (error: unknown) => log.error({ err: error, file }, 'a backup failed'),
          ),
      }
    },
  }
}

async function write(file: string, { folder, everyHours, keep }: BackupSchedule, program: string): Promise<void> {
  await command(program, 'backup', file)
  await command(program, 'backup', 'verify', file).catch(async (error: unknown) => {
    await rm(file, { force: true })
    throw error
  })
  const times = await backupTimes(folder)
  due.set(nextAfter(times[0]!, everyHours) / 1000)
  await Promise.all(times.slice(keep).map((time) => rm(path.join(folder, nameAt(time)))))
}

/** When the backups in the folder were made, newest first. */
export async function backupTimes(folder: string): Promise<Date[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => parseBackupTime(name) ?? []).toSorted((a, b) => b.getTime() - a.getTime())
}

/** The beginning of the next period after `time`, or of a later one, in milliseconds. */
export function nextAfter(time: Date, everyHours: number, periods = 1): number {
  const period = everyHours * 3_600_000
  return (Math.floor(time.getTime() / period) + periods) * period
}

const due = new Gauge({
  name: 'backup_due_seconds',
  help: 'Time the next scheduled backup is due, in Unix seconds; 0: none is scheduled',
  registers: [metrics],
  aggregator: 'max',
})

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw new Error(`BACKUP_DIR ${folder} cannot be made: ${cause.message}`, { cause })
  })
}

const quietMs = 10 * 60_000

/** A running backup writes all the time. Drafts of backups that were killed are removed. */
async function isRunning(folder: string, now: Date): Promise<boolean> {
  let isRunning = false
  for (const name of await readdir(folder)) {
    if (!draftForm.test(name)) continue
    const draft = path.join(folder, name)
    const writtenAt = (await stat(draft).catch(() => null))?.mtimeMs ?? 0
    if (now.getTime() - writtenAt < quietMs) isRunning = true
    else await rm(draft, { force: true })
  }
  return isRunning
}

/** `stoa-20261124T030000Z.zst` */
function nameAt(time: Date): string {
  return `stoa-${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.zst`
}

const draftForm = /^stoa-\d{8}T\d{6}Z\.zst\.draft-\d+$/
const nameForm = /^stoa-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.zst$/

function parseBackupTime(name: string): Date | null {
  const [, year, month, day, hour, minute, second] = nameForm.exec(name) ?? []
  return year ? new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) : null
}

/** Ends with this process. The command's words are the error's. */
async function command(program: string, ...args: string[]): Promise<void> {
  const running = promisify(execFile)(process.execPath, [program, ...args])
  const stop = () => void running.child.kill()
  process.once('exit', stop)
  try {
    await running
  } catch (cause) {
    const { stderr = '', message } = cause as { stderr?: string; message: string }
    throw new Error(stderr.trim() || message, { cause })
  } finally {
    process.off('exit', stop)
  }
}
