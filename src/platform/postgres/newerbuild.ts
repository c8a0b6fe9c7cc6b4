// Notices that a newer build has migrated the database. This one goes on serving, as migrations only add; but it could
// not start again, so it says so.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Log } from '../process/log.ts'
import { findNewer, listOwnMigrations } from './migrations.ts'

export type NewerBuild = {
  /** A sentence, once there is a newer build. */
  readonly warning: string | null
  /** Looks every ten seconds. */
  follow(): Promise<void>
  close(): void
}

const everyMs = 10_000

export function openNewerBuild(db: Pick<Db, 'rows'>, log: Log): NewerBuild {
  let warning: string | null = null
  let timer: NodeJS.Timeout | undefined

  async function look(ownNames: readonly string[]) {
    const rows = await db.rows<{ name: string }>(sql`select name from migrations order by name`)
    const newer = findNewer(
      rows.map(({ name }) => name),
      ownNames,
    )
    if (newer && !warning) log.warn(describe(newer))
    warning = newer ? describe(newer) : null
  }
  return {
    get warning() {
      return warning
    },
    async follow() {
      // Those of this process: later, the files of a newer build may be in their place.
      const ownNames = await listOwnMigrations()
      timer = setInterval(() => void look(ownNames).catch(() => {}), everyMs).unref()
    },
    close: () => clearInterval(timer),
  }
}

const describe = (migration: string) =>
  `This database has migration ${migration} of a newer version of Stoa. This process goes on serving, but could not` +
  ' start again: replace it by that version'
