// Files without an image: of deleted images, and of uploads that were never completed. They are recorded in advance, so
// that none is forgotten even if the process is killed.
import type { Tx } from '../../kit/database/database.ts'
import { findDue } from '../../kit/database/due.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { listPictureKeys, buildPictureName, parsePictureName, type Picture } from './picture.ts'
import type { Storage } from './storage.ts'

/** Schedules the files for removal at that time, unless they belong to an image by then. */
export function addLeftover(tx: Tx, storeId: string, picture: Picture, dueAt: Date): void {
  tx.later(sql`
    insert into media_leftovers (store_id, name, due_at)
    values (${storeId}, ${buildPictureName(picture)}, ${dueAt})
    on conflict (store_id, name) do update set due_at = excluded.due_at`)
}

export function removeLeftover(tx: Tx, storeId: string, picture: Picture): void {
  tx.later(sql`
    delete from media_leftovers
    where store_id = ${storeId}
      and name = ${buildPictureName(picture)}`)
}

const batchSize = 50
type Leftover = { store_id: string; name: string }

/**
 * Rows stay locked until their files are removed, so that a new upload of the same file waits and then keeps its own.
 */
export function leftoversJob(storage: Storage): JobWork {
  return {
    name: 'remove pictures',
    async run(tx) {
      const { stores } = await findDue(tx, { table: 'media_leftovers', key: 'name' }, batchSize)
      const taking = stores.map(([storeId, names]) => tx.rows<Leftover>(take(tx.now, storeId, names)))
      const due = (await Promise.all(taking)).flat()
      for (const { store_id, name } of due) {
        const picture = parsePictureName(name)
        if (picture && !(await hasPicture(tx, store_id, picture)))
          await storage.remove(listPictureKeys(store_id, picture))
      }
      return { more: due.length === batchSize }
    },
  }
}

function take(now: Date, storeId: string, names: readonly string[]): Sql {
  return sql`
        with due as materialized (
          select name
          from media_leftovers
          where store_id = ${storeId}
            and name = any(${names}::text[])
            and due_at <= ${now}
          for update skip locked
        )
        delete from media_leftovers
        using due
        where media_leftovers.store_id = ${storeId}
          and media_leftovers.name = due.name
        returning media_leftovers.store_id, media_leftovers.name`
}

async function hasPicture(tx: Tx, storeId: string, { hash }: Picture): Promise<boolean> {
  const [row] = await tx.rows(sql`select 1 from media where store_id = ${storeId} and hash = ${hash}`)
  return row !== undefined
}

const draftMs = 60 * 60 * 1000

/** Removes old drafts of any node. No file takes an hour to write. */
export function draftsJob(storage: Storage): JobWork {
  return { name: 'remove drafts of pictures', run: async () => ({ afterwards: () => storage.removeDrafts(draftMs) }) }
}
