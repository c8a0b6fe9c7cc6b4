// Deletes images that have been unused for a month. Triggers note where images are used, and which have gained or lost
// a use: a run reads these, and those that are unused.
import { byStore } from '../../kit/database/bystore.ts'
import { inReach, hasRow, inStore, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import type { Tx } from '../../kit/database/database.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { addLeftover } from './leftovers.ts'
import type { Picture } from './picture.ts'

const graceMs = 30 * 24 * 60 * 60 * 1000
const batchSize = 500

// Looked up for each image: a join might read all uses.
const isUsed = hasRow(sql`
          from media_uses
          where media_uses.store_id = ${bindStore('media.store_id')}
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

/** The next changes are of these stores. */
async function noteUnused(tx: Tx): Promise<number> {
  const changes = await tx.rows<{ store_id: string }>(sql`
    select store_id
    from media_changes
    where ${inReach('store_id')}
    order by store_id, hash, position
    limit ${batchSize}`)
  await Promise.all(byStore(changes).map(([storeId, own]) => noteUnusedOf(tx, storeId, own.length)))
  return changes.length
}

/** A use whose transaction commits later brings its own change. */
async function noteUnusedOf(tx: Tx, storeId: string, count: number): Promise<void> {
  const changes = await tx.rows<{ hash: string }>(sql`
    delete from media_changes
    using (
      select hash, position
      from media_changes
      where store_id = ${storeId}
      order by hash, position
      limit ${count}
      for update skip locked) as changes
    where media_changes.store_id = ${storeId}
      and media_changes.hash = changes.hash
      and media_changes.position = changes.position
    returning media_changes.hash`)
  const update = sql`
    update media
    set unused_since = case when ${isUsed} then null else ${tx.now}::timestamptz end
    where store_id = ${storeId}
      and hash = any(${changes.map(({ hash }) => hash)})
      and (unused_since is null) <> ${isUsed}`
  tx.later(inStore(storeId, update))
}

async function dropUnused(tx: Tx): Promise<number> {
  const rows = await tx.rows<{ store_id: string; id: string }>(sql`
    select store_id, id
    from media
    where unused_since <= ${new Date(tx.now.getTime() - graceMs)}
      and not ${isUsed}
      and ${inReach('media.store_id')}
    order by unused_since
    limit ${batchSize}`)
  const drops = byStore(rows).map(([storeId, own]) =>
    tx.rows<Picture & { store_id: string }>(inStore(storeId, buildUnusedDelete(tx.now, storeId, own))),
  )
  const pictures = (await Promise.all(drops)).flat()
  for (const { store_id, ...picture } of pictures) addLeftover(tx, store_id, picture, tx.now)
  return pictures.length
}

function buildUnusedDelete(now: Date, storeId: string, pictures: { id: string }[]): Sql {
  return sql`
    with due as materialized (
      select id
      from media
      where store_id = ${storeId}
        and id = any(${pictures.map(({ id }) => id)}::uuid[])
        and unused_since <= ${new Date(now.getTime() - graceMs)}
        and not ${isUsed}
      for update skip locked
    )
    delete from media
    using due
    where media.store_id = ${storeId}
      and media.id = due.id
    returning media.store_id, hash, width, height, colour`
}
