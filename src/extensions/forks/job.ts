// Finishes what ended processes began, deletes expired forks, and drops databases without a row.
import type { Database } from '../../kit/database/database.ts'
import { claimFrom, type DueQueue } from '../../kit/database/due.ts'
import { expiryRounds } from '../../kit/database/batches.ts'
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { dropDatabase, listDatabases } from './databases.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { buildFork, recordFailure, type ForkToBuild, type Installation } from './build.ts'
import { toForkDatabase, databasePrefix } from './names.ts'
import { leaseMs } from './operations.ts'

const maxTries = 3

const queue: DueQueue = {
  table: 'forks',
  due: 'due_at',
  where: 'due_at is not null',
  claim: (now) => sql`due_at = ${new Date(now.getTime() + leaseMs)}, tries = tries + 1`,
  returning: 'store_id, id, scopes, key_hash, key_last4, tries',
}

const claim = claimFrom<ForkToBuild & { tries: number }>(queue)

const expireForks = expiryRounds(10, {
  table: 'forks',
  key: { store_id: 'text', id: 'uuid' },
  hasEnded: (now) => sql`expires_at <= ${now}`,
})

export type ForkJobParts = Installation & { db: Database; log: Log; isInner: boolean }

export function forksJobs({ db, log, databaseUrl, secretKey }: ForkJobParts): Job[] {
  const installation = { databaseUrl, secretKey }
  const job: Job = {
    name: 'keep forks',
    everySeconds: 60,
    due: [queue],
    async run(tx) {
      const { more } = await expireForks(tx)
      const [due] = await claim(tx, 1)
      const work = async () => {
        await sweepForks(db, installation)
        if (due) await tryToBuild(db, due, { ...installation, log })
      }
      return { more: more || due !== undefined, afterwards: work }
    },
  }
  return [job]
}

/** A process that was killed in between left it; after three tries it has failed. */
async function tryToBuild(
  db: Database,
  fork: ForkToBuild & { tries: number },
  { log, ...installation }: Installation & { log: Log },
): Promise<void> {
  try {
    await buildFork(db, fork, installation)
  } catch (error) {
    log.error({ err: error, fork: publicId('fork', fork.id) }, 'a fork could not be made')
    if (fork.tries >= maxTries) await recordFailure(db, fork, 'The copy could not be made')
  }
}

/** Builds a new fork at once. If that fails, or the process ends, the job tries again. */
export async function buildNow(db: Database, id: string, installation: Installation): Promise<void> {
  const fork = await db.one<ForkToBuild>(sql`
    select store_id, id, scopes, key_hash, key_last4
    from forks
    where id = ${id}
      and status = 'creating'`)
  if (fork) await buildFork(db, fork, installation)
}

/** The databases are listed first: a row is there before its database. */
export async function sweepForks(db: Database, { databaseUrl }: Installation): Promise<void> {
  const databases = await listDatabases(databaseUrl, databasePrefix(databaseUrl))
  if (databases.length === 0) return
  const rows = await db.rows<{ id: string }>(sql`select id from forks`)
  const inUse = new Set(rows.map(({ id }) => toForkDatabase(databaseUrl, id)))
  for (const name of databases) if (!inUse.has(name)) await dropDatabase(databaseUrl, name)
}
