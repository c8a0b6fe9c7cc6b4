// Former slugs of stores. For a year they lead to the store's new slug and cannot be taken by others: links in emails,
// bookmarks and search results must not show another store.
import type { Db, Tx } from '../../kit/database/database.ts'
import type { ConstraintErrors } from '../../kit/database/errors.ts'
import type { Deletion } from '../../kit/database/batches.ts'
import { currentTime, sql, type Sql } from '../../kit/database/sql.ts'

const keptDays = 365
/** Only the latest slugs are kept, so that a store cannot hoard them. */
const maxKept = 20

export const slugForm = /^[a-z0-9-]{1,63}$/

/** Rows if a slug is in use, or reserved for a store. */
export function slugInUse(slug: string): Sql {
  return sql`
    select from stores where slug = ${slug}
    union all
    select from store_slugs where slug = ${slug} and until > ${currentTime}`
}

/** Reserves the current slug just before it changes. */
export function keepSlug(tx: Tx, storeId: string, next: string): void {
  const until = new Date(tx.now.getTime() + keptDays * 24 * 3600 * 1000)
  tx.later(sql`
    insert into store_slugs (store_id, slug, until)
    select id, slug, ${until}
    from stores
    where id = ${storeId}
      and slug <> ${next}
    for update`)
  tx.later(sql`
    delete from store_slugs
    where store_id = ${storeId}
      and slug in (
        select slug
        from store_slugs
        where store_id = ${storeId}
          and slug <> ${next}
        order by until desc, slug
        offset ${maxKept})`)
}

/**
 * Fails if the slug is reserved for another store. It runs after the slug is written: only then has a store that is
 * giving it up committed. Slugs in use are never reserved.
 */
export function claimSlug(tx: Tx, storeId: string, slug: Sql, refusals: ConstraintErrors): void {
  tx.later(sql`select claim_slug(${slug}, ${storeId}, ${tx.now})`, refusals)
}

/** The current slug of the store that used this one before, or has it in another case; null if there is none. */
export async function findSlugSuccessor(db: Db, name: string): Promise<string | null> {
  const slug = name.toLowerCase()
  if (!slugForm.test(slug)) return null
  const successor = await db.one<{ slug: string }>(sql`
    select slug
    from stores
    where slug = ${slug}
      and slug <> ${name}
      and status <> 'closed'
    union all
    select stores.slug
    from store_slugs
    join stores on stores.id = store_slugs.store_id
    where store_slugs.slug = ${slug}
      and until > ${currentTime}
      and stores.status <> 'closed'`)
  return successor?.slug ?? null
}

/** Replaces the slug in a path: /s/old/cart → /s/new/cart. The beginning of the path never comes from the caller. */
export function belowSlug(prefix: string, url: string, slug: string): string {
  const rest = url.startsWith(prefix) ? url.slice(prefix.length).replace(/^[^/?]*/, '') : ''
  return prefix + slug + rest
}

/** With 308, a browser sends its form again. */
export function redirectStatus(method: string): 301 | 308 {
  return method === 'GET' || method === 'HEAD' ? 301 : 308
}

export const slugDeletion: Deletion = (now, size) => sql`
  delete from store_slugs
  where ctid = any(array(
    select ctid from store_slugs
    where until <= ${now}
    limit ${size}
    for update skip locked))
  returning 1`
