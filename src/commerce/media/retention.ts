// Deletes images that have been unused for a month. Triggers note where images are used, and which have gained or lost
// a use: a run reads these, and those that are unused.
import { hasRow, sql } from '../../kit/database/sql.ts'
import type { Tx } from '../../kit/database/database.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { addLeftover } from './leftovers.ts'
import type { Picture } from './picture.ts'

const graceMs = 30 * 24 * 60 * 60 * 1000
const batchSize = 500

// Looked up for each image: a join might read all uses.
const isUsed = hasRow(sql`
          from media_uses
          where media_uses.store_id = media.store_id
            and media_uses.hash = media.hash`)

export function unusedJob(): JobWork {
  return {
    name: 'drop unused pictures',
    async run(tx) {
      if ((await noteUnused(tx)) === batchSize) return { more: true }
      return { more: (await dropUnused(tx)) === batchSize }
    },
  }
}

/** An image that was uploaded may be unused. */
export function noteUpload(tx: Tx, storeId: string, { hash }: Picture): void {
  tx.later(sql`insert into media_changes (store_id, hash) values (${storeId}, ${hash})`)
}

/** A use whose transaction commits later brings its own change. */
async function noteUnused(tx: Tx): Promise<number> {
  const [batch] = await tx.rows<{ count: number }>(sql`
    with changes as materialized (
      select store_id, hash, position
      from media_changes
      order by store_id, hash, position
      limit ${batchSize}
      for update skip locked
    ), taken as (
      delete from media_changes
      using changes
      where media_changes.store_id = changes.store_id
        and media_changes.hash = changes.hash
        and media_changes.position = changes.position
    ), changed as (
      update media
      set unused_since = case when ${isUsed} then null else ${tx.now}::timestamptz end
      from (select distinct store_id, hash from changes) as one
      where media.store_id = one.store_id
        and media.hash = one.hash
        and (media.unused_since is null) <> ${isUsed}
    )
    select count(*) as count from changes`)
  return batch!.count
}

async function dropUnused(tx: Tx): Promise<number> {
  const dropped = await tx.rows<Picture & { store_id: string }>(sql`
    with due as materialized (
      select store_id, id
      from media
      where unused_since <= ${new Date(tx.now.getTime() - graceMs)}
        and not ${isUsed}
      order by unused_since
      limit ${batchSize}
      for update skip locked
    )
    delete from media
    using due
    where media.store_id = due.store_id
      and media.id = due.id
    returning media.store_id, hash, width, height, colour`)
  for (const { store_id, ...picture } of dropped) addLeftover(tx, store_id, picture, tx.now)
  return dropped.length
}
