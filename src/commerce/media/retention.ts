// Deletes images that have been unused for a month.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Tx } from '../../kit/database/database.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { addLeftover } from './leftovers.ts'
import type { Picture } from './picture.ts'

/** All columns that can contain the URL of an image, by table. media.test.ts finds missing ones. */
export const references: Record<string, readonly string[]> = {
  products: ['main_image', 'gallery'],
  variants: ['image'],
  categories: ['image'],
  collections: ['image'],
  order_bumps: ['image'],
  pages: ['body'],
  stores: ['logo', 'favicon', 'hero_image'],
}

const graceMs = 30 * 24 * 60 * 60 * 1000

/** Handles one store at a time, each in its own transaction. */
export function unusedJob(): JobWork {
  let after = ''
  return {
    name: 'drop unused pictures',
    async run(tx) {
      const next = await tx.one<{ store_id: string | null }>(sql`
        select min(store_id) as store_id from media where store_id > ${after}`)
      after = next?.store_id ?? ''
      if (after === '') return {}
      await markUnused(tx, after)
      const pictures = await tx.rows<Picture>(sql`
        delete from media
        where store_id = ${after}
          and unused_since <= ${new Date(tx.now.getTime() - graceMs)}
        returning hash, width, height, colour`)
      for (const picture of pictures) addLeftover(tx, after, picture, tx.now)
      return { more: true }
    },
  }
}

async function markUnused(tx: Tx, storeId: string): Promise<void> {
  await tx.rows(sql`
    with used as (
      select distinct found[1] as hash
      from (${textsOf(storeId)}) as places,
        regexp_matches(places.text, ${`/media/${storeId}/([0-9a-f]{32})-`}, 'g') as found
    ), seen as (
      select media.id, exists (select from used where used.hash = media.hash) as is_used
      from media
      where media.store_id = ${storeId}
    )
    update media
    set unused_since = case when seen.is_used then null else ${tx.now}::timestamptz end
    from seen
    where media.store_id = ${storeId}
      and media.id = seen.id
      and (media.unused_since is null) <> seen.is_used`)
}

function textsOf(storeId: string): Sql {
  const selects = Object.entries(references).flatMap(([table, columns]) =>
    columns.map(
      (column) => sql`
      select ${raw(column)}::text as text
      from ${raw(table)}
      where ${raw(table === 'stores' ? 'id' : 'store_id')} = ${storeId}
        and ${raw(column)} is not null`,
    ),
  )
  return selects.reduce((all, one) => sql`${all} union all ${one}`)
}
