// Products, categories and collections in URLs: by ID, slug or former slug. A former slug leads to its last owner until
// another record takes it, so that links in emails, bookmarks and search results keep working.
import type { Db, Tx } from '../../kit/database/database.ts'
import { RetryTransaction } from '../../kit/database/errors.ts'
import { raw, records, sql, type Sql } from '../../kit/database/sql.ts'
import { conflict } from '../../kit/values/errors.ts'
import { toUuid, type Prefix } from '../../kit/values/ids.ts'
import { longerSlug, buildSlug } from '../../kit/values/slug.ts'
import { isForSale } from '../inventory/availability.ts'
import { categoryPath } from './category.ts'

/** `isShown`: whether shoppers can see the record. `path`: the end of its URL. */
type SlugOwner = { prefix: Prefix; former: Sql; owner: Sql; isShown: Sql; path: Sql }

const isActive = raw('is_active')

// prettier-ignore
const slugOwners = {
  products:    { prefix: 'prod', former: raw('product_slugs'),    owner: raw('product_id'),
                 isShown: isForSale, path: raw('products.slug') },
  categories:  { prefix: 'cat',  former: raw('category_slugs'),   owner: raw('category_id'),
                 isShown: isActive,  path: categoryPath },
  collections: { prefix: 'coll', former: raw('collection_slugs'), owner: raw('collection_id'),
                 isShown: isActive,  path: raw('collections.slug') },
} satisfies Record<string, SlugOwner>

export type SlugKind = keyof typeof slugOwners

const slugForm = /^[a-z0-9-]{1,100}$/

/** A condition on a row: visible, and with this ID or current slug. */
export function matchesIdOrSlug(kind: SlugKind, idOrSlug: string): Sql {
  const { prefix, isShown } = slugOwners[kind]
  const uuid = toUuid(prefix, idOrSlug)
  if (uuid) return sql`id = ${uuid} and ${isShown}`
  return slugForm.test(idOrSlug) ? sql`slug = ${idOrSlug} and ${isShown}` : sql`false`
}

/** The ID of the visible record with this ID, slug or former slug; null without one. */
export function idMatching(kind: SlugKind, storeId: string, idOrSlug: string): Sql {
  return sql`coalesce(
      (select id from ${raw(kind)} where store_id = ${storeId} and ${matchesIdOrSlug(kind, idOrSlug)}),
      (select id from (${formerSlugQuery(kind, storeId, idOrSlug)}) as former))`
}

function formerSlugQuery(kind: SlugKind, storeId: string, slug: string): Sql {
  const { former, owner, isShown, path } = slugOwners[kind]
  return sql`
    select id, ${raw(kind)}.slug, ${path} as path
    from ${former}
    join ${raw(kind)} on ${raw(kind)}.store_id = ${former}.store_id
      and id = ${owner}
    where ${former}.store_id = ${storeId}
      and ${former}.slug = ${slugForm.test(slug) ? slug : ''}
      and ${isShown}`
}

/** The current slug of the record that had this slug, and the end of its URL. */
export function findRenamed(
  db: Db,
  storeId: string,
  kind: SlugKind,
  slug: string,
): Promise<{ slug: string; path: string } | undefined> {
  return db.one(formerSlugQuery(kind, storeId, slug))
}

/** The end of the URL of the visible record with this ID, slug or former slug. */
export async function findPath(db: Db, storeId: string, kind: SlugKind, idOrSlug: string): Promise<string | null> {
  const record = await db.one<{ path: string }>(sql`
    select ${slugOwners[kind].path} as path
    from ${raw(kind)}
    where store_id = ${storeId}
      and id = ${idMatching(kind, storeId, idOrSlug)}`)
  return record?.path ?? null
}

/** The number of former slugs kept for each record; the latest ones are kept. */
const maxFormerSlugs = 20

/** Keeps the current slug as a former one, just before it changes to `next`. */
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

type NamedRecord = { name: string; slug?: string; id: string }

type SlugChoice = {
  columns: { store_id: string | Sql; slug: string | Sql }
  /** A value that contains the slug. */
  choose(build: (slug: string) => string): string | Sql
  /** The rows from which the insert reads the columns. */
  from?: Sql
}

/**
 * The slug of a new record, which defaults to one based on the name, or to a longer one if that is taken: the insert
 * itself looks. Of two inserts at once, the second fails at the unique index and runs again.
 */
export function chooseSlug(kind: SlugKind, storeId: string, { name, slug, id }: NamedRecord): SlugChoice {
  if (slug) return { columns: { store_id: storeId, slug }, choose: (build) => build(slug) }
  const plain = buildSlug(name, id)
  const longer = longerSlug(plain, id)
  const choose: SlugChoice['choose'] = (build) =>
    sql`case when taken.id is null then ${build(plain)}::text else ${build(longer)}::text end`
  return {
    columns: { store_id: raw('store_counters.store_id'), slug: choose((text) => text) },
    choose,
    from: sql`
    from store_counters
    left join ${raw(kind)} as taken on taken.store_id = store_counters.store_id
      and taken.slug = ${plain}
    where store_counters.store_id = ${storeId}`,
  }
}

/** Errors for a duplicate name, and for a duplicate slug if the client chose it; a generated slug is retried. */
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

/** Restores former slugs of a product, unless another one has them now. */
export function restoreSlugs(
  tx: Tx,
  storeId: string,
  id: string,
  slugs: readonly { slug: string; since: string }[],
): void {
  if (slugs.length === 0) return
  tx.later(sql`
    insert into product_slugs (store_id, slug, product_id, since)
    select ${storeId}, slug, ${id}, since
    from ${records('kept', { slug: 'text', since: 'timestamptz' }, slugs)}
    on conflict do nothing`)
}
