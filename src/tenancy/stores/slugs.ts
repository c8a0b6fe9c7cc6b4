// Slugs that stores have given up. For a year they lead to the store's new one and are no other store's: links in sent
// mail, bookmarks and search results must not show somebody else's shop.
import type { Db, Tx } from '../../kit/database/database.ts'
import type { ConstraintErrors } from '../../kit/database/errors.ts'
import type { Deletion } from '../../kit/database/batches.ts'
import { currentTime, sql, type Sql } from '../../kit/database/sql.ts'

const keptDays = 365
/** A store that changes its slug often keeps the latest, so that it cannot hoard them. */
const maxKept = 20

export const slugForm = /^[a-z0-9-]{1,63}$/

/** Rows where a slug is a store's, or kept for one. */
export function slugInUse(slug: string): Sql {
  return sql`
    select from stores where slug = ${slug}
    union all
    select from store_slugs where slug = ${slug} and until > ${currentTime}`
}

/** The store is about to have another slug: the one that it has is kept for it. */
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
 * Refused when the slug is kept for another store. It comes after the write of the slug: only then has whoever gave it
 * up a moment ago come to its end. No slug that a store has is kept for any.
 */
export function claimSlug(tx: Tx, storeId: string, slug: Sql, refusals: ConstraintErrors): void {
  tx.later(sql`select claim_slug(${slug}, ${storeId}, ${tx.now})`, refusals)
}

/** The slug that a store has which gave this one up, or is named by it in capitals; null where it leads nowhere. */
export async function successorOf(db: Db, name: string): Promise<string | null> {
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

/** An address below another slug: /s/old/cart → /s/new/cart. What it begins with is never the caller's. */
export function belowSlug(prefix: string, url: string, slug: string): string {
  const rest = url.startsWith(prefix) ? url.slice(prefix.length).replace(/^[^/?]*/, '') : ''
  return prefix + slug + rest
}

/** A browser that is sent on by 308 sends its form once more. */
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
