// By what shoppers' addresses name products, categories and collections: an id, a slug, or one that was given up, which
// leads to whatever had it until another takes it. Links in sent mail, bookmarks and search results stay good.
import type { Db, Tx } from '../../kit/database/database.ts'
import { RetryTransaction } from '../../kit/database/errors.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { conflict } from '../../kit/values/errors.ts'
import { uuidOf, type Prefix } from '../../kit/values/ids.ts'
import { isForSale } from '../inventory/availability.ts'

/** `isShown`: whether shoppers may see it. */
type SlugOwner = { prefix: Prefix; former: Sql; owner: Sql; isShown: Sql }

const isActive = raw('is_active')

// prettier-ignore
const slugOwners = {
  products:    { prefix: 'prod', former: raw('product_slugs'),    owner: raw('product_id'),    isShown: isForSale },
  categories:  { prefix: 'cat',  former: raw('category_slugs'),   owner: raw('category_id'),   isShown: isActive },
  collections: { prefix: 'coll', former: raw('collection_slugs'), owner: raw('collection_id'), isShown: isActive },
} satisfies Record<string, SlugOwner>

export type SlugKind = keyof typeof slugOwners

const slugForm = /^[a-z0-9-]{1,100}$/

/** Of a row of its table: that it is called so now, and is shown. */
export function matchesIdOrSlug(kind: SlugKind, idOrSlug: string): Sql {
  const { prefix, isShown } = slugOwners[kind]
  const uuid = uuidOf(prefix, idOrSlug)
  if (uuid) return sql`id = ${uuid} and ${isShown}`
  return slugForm.test(idOrSlug) ? sql`slug = ${idOrSlug} and ${isShown}` : sql`false`
}

/** The id of what is called so now, else of what was; null for what is not shown. */
export function idMatching(kind: SlugKind, storeId: string, idOrSlug: string): Sql {
  return sql`coalesce(
      (select id from ${raw(kind)} where store_id = ${storeId} and ${matchesIdOrSlug(kind, idOrSlug)}),
      (select id from (${formerSlugQuery(kind, storeId, idOrSlug)}) as former))`
}

function formerSlugQuery(kind: SlugKind, storeId: string, slug: string): Sql {
  const { former, owner, isShown } = slugOwners[kind]
  return sql`
    select id, ${raw(kind)}.slug
    from ${former}
    join ${raw(kind)} on ${raw(kind)}.store_id = ${former}.store_id
      and id = ${owner}
    where ${former}.store_id = ${storeId}
      and ${former}.slug = ${slugForm.test(slug) ? slug : ''}
      and ${isShown}`
}

/** The slug of what gave this one up; null where it leads nowhere. */
export async function currentSlug(db: Db, storeId: string, kind: SlugKind, slug: string): Promise<string | null> {
  const record = await db.one<{ slug: string }>(formerSlugQuery(kind, storeId, slug))
  return record?.slug ?? null
}

/** Whatever changes its slug often keeps the latest. */
const maxFormerSlugs = 20

/** It is about to have the slug `next`: the one that it has is kept for it. */
export function keepSlug(tx: Tx, storeId: string, kind: SlugKind, id: string, next: string): void {
  const { former, owner } = slugOwners[kind]
  tx.later(sql`
    insert into ${former} (store_id, slug, ${owner}, since)
    select store_id, slug, id, ${tx.now}::timestamptz
    from ${raw(kind)}
    where store_id = ${storeId}
      and id = ${id}
      and slug <> ${next}
    on conflict (store_id, slug) do update
    set ${owner} = excluded.${owner}, since = excluded.since`)
  tx.later(sql`
    delete from ${former}
    where store_id = ${storeId}
      and ${owner} = ${id}
      and (slug = ${next} or slug in (
        select slug
        from ${former}
        where store_id = ${storeId}
          and ${owner} = ${id}
        order by since desc, slug
        offset ${maxFormerSlugs}))`)
}

/** Of what is named and made anew: another has its name, or the slug that was asked for. */
export function duplicateErrors(
  kind: SlugKind,
  noun: string,
  { name, slug }: { name?: string; slug?: string },
): Record<string, () => Error> {
  const exists = (what: string) => conflict(`A ${noun.toLowerCase()} with the ${what} already exists`)
  return {
    [`${kind}_name`]: () => exists(`name ${name}`),
    [`${kind}_slug`]: () => (slug ? exists(`slug ${slug}`) : new RetryTransaction()),
  }
}
