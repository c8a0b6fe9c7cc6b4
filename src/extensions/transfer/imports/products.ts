// Products of a file: each with its variants, images, category and collections.
import { fault } from '../../../kit/values/faults.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { nameKey } from '../../../kit/values/names.ts'
import type { Db } from '../../../kit/database/database.ts'
import { join, raw, sql } from '../../../kit/database/sql.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { collection, maxCollectionProducts } from '../../../commerce/catalog/collection.ts'
import type { BundleItem } from '../../../commerce/catalog/bundle.ts'
import { previewBundleFaults } from '../../../commerce/catalog/bundleplan.ts'
import { addCollectionProducts } from '../../../commerce/catalog/collectionproducts.ts'
import { createCollection } from '../../../commerce/catalog/collections.ts'
import { getRequiredProductFeature } from '../../../commerce/catalog/features.ts'
import { createProduct, deleteProduct, updateProduct } from '../../../commerce/catalog/operations.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { buildCombinationKey } from '../../../commerce/catalog/variant.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { categoryNamed, maxNameLength } from './named.ts'
import { importFaults } from './errors.ts'
import type { TextsByKey } from '../../../kit/declare/composites.ts'
import { mergeCustomValues } from '../../../tenancy/stores/customvalues.ts'
import { mergeTexts } from '../../../kit/declare/metadata.ts'
import { rowFields } from './fields.ts'
import type { MatchKey } from './import.ts'
import type { CheckTime, Match, RecordKind, ImportWrite } from './kind.ts'
import { productDraft, sharePrice } from './productdraft.ts'
import { maxImages } from './productimages.ts'
import type { Draft } from './record.ts'
import { redirectProduct, removeProductRedirects } from './redirects.ts'
import { mergeShipping } from './shipping.ts'
import { nameOfCategory } from './cells.ts'

export const products: RecordKind = {
  prefix: 'prod',
  draft: productDraft,
  body: product,
  featureOf: getRequiredProductFeature,
  keysOf: (input) => keyOrder.flatMap((key) => listKeys(input, key)),
  identityOf: (input, matchBy) =>
    listMatchKeys(input, matchBy)
      .map((key) => listKeys(input, key))
      .find((keys) => keys.length > 0) ?? [],
  faults: (input, _, { isUpdate }) => {
    if (isUpdate || input.name !== undefined) return []
    if (input.parent_row !== undefined) return [fault('parent_row', importFaults.parent_missing)]
    const key = (['sku', 'barcode', 'external_id', 'id'] as const).find((one) => input[one] !== undefined)
    return key ? [fault(key, importFaults.product_unknown)] : []
  },
  hold: (input) => {
    if ((input.product_status ?? 'active') === 'active') input.product_status = 'draft'
  },
  previewFaults: (db, store, input, id) => previewBundleFaults(db, store.id, id, toStoredParts(input)),
  find,
  create,
  planUpdate: (entity, input, match) => planUpdate(entity as Entity<typeof product.fields>, input, match),
  update,
  async remove({ tx, store }, id) {
    await removeProductRedirects({ tx, store }, id)
    await deleteProduct(tx, store, id)
  },
}

/** The parts of a draft with uuids, those of its variants too. */
function toStoredParts({ bundle_items, variants = [] }: Record<string, any>) {
  const toParts = (items: BundleItem[] | null | undefined) =>
    items?.map((one) => ({ ...one, variant_id: one.variant_id ?? null, product_id: toUuid('prod', one.product_id)! }))
  const withParts = (one: Record<string, any>) => ({ bundle_items: toParts(one.bundle_items) ?? null })
  return { ...withParts({ bundle_items }), variants: variants.map(withParts) }
}

/** The keys that find a product, the surest first. */
const keyOrder = ['id', 'external_id', 'slug', 'sku', 'barcode'] as const
type ProductKey = (typeof keyOrder)[number]

const keyNames = { id: 'ID', external_id: 'external ID', slug: 'slug', sku: 'SKU', barcode: 'barcode' } as const

function listKeys(input: Record<string, any>, key: ProductKey): string[] {
  return listValues(input, key).map((value) => `${keyNames[key]} ${value}`)
}

/** The product's own value, and those of its variants. */
function listValues({ variants = [], ...input }: Record<string, any>, key: ProductKey): string[] {
  const isOfVariants = key !== 'id' && key !== 'slug'
  return [input, ...(isOfVariants ? variants : [])].map((one) => one[key]).filter((one) => typeof one === 'string')
}

/**
 * By the key of the import, or by the first that a row has: barcodes are not always of one product, so they count for a
 * row that has nothing else. Other systems know products by their handle alone: two in one file can have the same SKU,
 * so one that the import itself has created is matched by its slug only.
 */
async function find(
  db: Db,
  store: Store,
  drafts: readonly Draft[],
  { startedAt, matchBy }: CheckTime,
): Promise<(Match | null)[]> {
  const keys = drafts.map(({ input }) => listMatchKeys(input, matchBy))
  const listAll = (key: ProductKey) =>
    drafts.flatMap(({ input }, at) => (keys[at]!.includes(key) ? listValues(input, key) : []))
  const codes = (['external_id', 'sku', 'barcode'] as const).map(
    (key) => sql`
    union all
    select ${raw(`'${key}', ${key}`)}, id, created_at
    from products
    where store_id = ${store.id}
      and ${raw(key)} = any(${listAll(key)}::text[])
    union all
    select ${raw(`'${key}', variants.${key}`)}, product_id, products.created_at
    from variants
    join products on products.store_id = ${store.id}
      and products.id = product_id
    where variants.store_id = ${store.id}
      and variants.${raw(key)} = any(${listAll(key)}::text[])`,
  )
  const rows = await db.rows<{ key: ProductKey; value: string; id: string; created_at: Date }>(sql`
    select 'id' as key, id::text as value, id, created_at
    from products
    where store_id = ${store.id}
      and id = any(${listAll('id').flatMap((id) => toUuid('prod', id) ?? [])}::uuid[])
    union all
    select 'slug', slug, id, created_at
    from products
    where store_id = ${store.id}
      and slug = any(${listAll('slug')}::text[])
    ${join(codes, '')}`)
  const toKey = (key: string, value: string) => `${key} ${(key === 'id' && toUuid('prod', value)) || value}`
  const isNew = ({ created_at }: { created_at: Date }) => startedAt !== null && created_at >= startedAt
  const all = new Map(rows.map((row) => [toKey(row.key, row.value), row.id]))
  const older = new Map(rows.filter((row) => !isNew(row)).map((row) => [toKey(row.key, row.value), row.id]))
  return drafts.map(({ input }, at) => {
    for (const key of keys[at]!) {
      const ids = key === 'sku' && input.slug !== undefined && matchBy === 'auto' ? older : all
      const value = listValues(input, key).find((one) => ids.has(toKey(key, one)))
      if (value !== undefined) return { id: ids.get(toKey(key, value))!, by: keyNames[key], value }
    }
    return null
  })
}

/** Without a chosen key, an ID that is not known is not another product's slug or SKU. */
function listMatchKeys(input: Record<string, any>, matchBy: MatchKey): readonly ProductKey[] {
  const chosen = keyOrder.find((key) => key === matchBy)
  if (chosen) return [chosen]
  if (listValues(input, 'id').length > 0) return ['id']
  const isKnown = listValues(input, 'slug').length > 0 || listValues(input, 'sku').length > 0
  const others = isKnown || input.name !== undefined ? (['slug', 'sku'] as const) : (['barcode'] as const)
  return listValues(input, 'external_id').length > 0 ? ['external_id', ...others] : others
}

async function create(call: ImportWrite, draft: Record<string, any>): Promise<string> {
  const { category, collections, handle, id: _, ...input } = draft
  const { tx, store, actor } = call
  const read = product.create.read({ ...input, ...(await resolveImportCategory(call, category)) }, store)
  const body = await mergeCustomValues(tx, store, read, null, product.create.schema)
  const { entity } = await createProduct(tx, store, body, actor)
  await addTo(call, entity.id, collections, category?.map(nameOfCategory))
  if (handle) await redirectProduct(call, handle, entity.slug)
  return entity.id
}

/** Variants of the file replace those with the same ID, key or options; the others stay, as do options that it has. */
async function update(call: ImportWrite, { id, by }: Match, draft: Record<string, any>) {
  const { tx, store, actor } = call
  const { entity, json: before } = await findRecord(tx, product, store.id, id)
  const { category, collections, ...changes } = planUpdate(entity, draft, { by })
  const read = product.patch.read({ ...changes, ...(await resolveImportCategory(call, category)) }, store)
  const body = await mergeCustomValues(tx, store, read, entity, product.patch.schema)
  const { json: after } = await updateProduct(tx, store, id, body, actor)
  await addTo(call, entity.id, collections, category?.map(nameOfCategory))
  // Several rows of one transaction can change the same product.
  return (await after) !== before
}

/** What an update writes to the product. */
function planUpdate(
  entity: Entity<typeof product.fields>,
  draft: Record<string, any>,
  { by }: Pick<Match, 'by'>,
): Record<string, any> {
  const key = (['barcode', 'external_id'] as const).find((one) => keyNames[one] === by) ?? 'sku'
  const { id: _, ...input } = changeVariant(entity, draft, key)
  const variants = input.variants && mergeVariants(entity, input, key)
  return {
    ...input,
    ...(variants ? { variants } : {}),
    ...withTexts(input, entity),
    ...(input.options ? { options: mergeOptions(entity.options, input.options) } : {}),
    ...sameGallery(input.gallery, entity.gallery),
  }
}

/** The file's texts join those that the record has. */
export function withTexts(input: Record<string, any>, { metadata }: { metadata: TextsByKey }): object {
  return input.metadata ? { metadata: mergeTexts(metadata, input.metadata) } : {}
}

type ExistingProduct = Pick<Entity<typeof product.fields>, VariantKey | 'price' | 'requires_shipping' | 'variants'>
type VariantKey = 'sku' | 'barcode' | 'external_id'

/** A row with the SKU, barcode or external ID of a variant, and no options, is about the variant alone. */
function changeVariant(existing: ExistingProduct, draft: Record<string, any>, key: VariantKey): Record<string, any> {
  const isOwn = draft.variants || draft[key] === undefined || draft[key] === existing[key]
  const id = isOwn ? undefined : existing.variants.find((one) => one[key] === draft[key])?.id
  if (id === undefined) return draft
  const values = Object.entries(rowFields).flatMap(([field, name]) => (field in draft ? [[name, draft[field]]] : []))
  const isTracked = draft.track_inventory === true ? { track_inventory: true } : {}
  return { ...isTracked, variants: [{ id, ...Object.fromEntries(values) }] }
}

/** Changes the variants of the file, and the product's own price if it has all of them. */
function mergeVariants(product: ExistingProduct, input: Record<string, any>, key: VariantKey): object[] {
  const changes = new Map<string, Record<string, any>>()
  const newVariants: Record<string, any>[] = []
  for (const { option_values = [], ...one } of input.variants) {
    const options = buildCombinationKey({ option_values })
    const match = product.variants.find(
      (other) =>
        !changes.has(other.id) &&
        (other.id === one.id || (one[key] && other[key] === one[key]) || buildCombinationKey(other) === options),
    )
    if (!match) newVariants.push({ ...one, option_values })
    else {
      const isSame = option_values.length === 0 || buildCombinationKey(match) === options
      changes.set(match.id, { ...one, ...withTexts(one, match), id: match.id, ...(isSame ? {} : { option_values }) })
    }
  }
  const allVariants = [...changes.values(), ...newVariants]
  const isWhole =
    allVariants.every(({ price }) => typeof price === 'number') && changes.size === product.variants.length
  if (isWhole) sharePrice(Object.assign(input, { variants: allVariants }))
  mergeShipping(product, input, allVariants)
  for (const { id, price } of product.variants) {
    const change = changes.get(id)
    // It goes on following the price of the product.
    if (price === null && change?.price === Number(input.price ?? product.price)) change.price = null
  }
  return [...product.variants.map(({ id }) => changes.get(id) ?? { id }), ...newVariants]
}

function mergeOptions(existing: readonly { title: string }[], newOptions: unknown): unknown {
  if (!Array.isArray(newOptions)) return newOptions
  return newOptions.map((one) => ({ ...existing.find(({ title }) => title === one?.title), ...one }))
}

/** Images that are there already keep their places; others are added behind them. */
function sameGallery(newGallery: { url: string }[] | undefined, existing: { url: string }[]): object {
  if (!newGallery) return {}
  const newImages = newGallery.filter(({ url }) => !existing.some((one) => one.url === url))
  return { gallery: newImages.length === 0 ? existing : [...existing, ...newImages].slice(0, maxImages) }
}

async function resolveImportCategory(call: ImportWrite, names?: string[]): Promise<{ category_id?: string }> {
  return names?.[0] ? { category_id: await categoryNamed(call, names[0]) } : {}
}

/** Adds the product to its collections, which its further categories are too. */
async function addTo(
  call: ImportWrite,
  productId: string,
  collections: string[] = [],
  [category, ...others]: string[] = [],
): Promise<void> {
  const { tx, store, memory } = call
  const names = [...new Set([...collections, ...others].map((one) => one.slice(0, maxNameLength)))]
  const shared = category === undefined ? null : (await findShared(call, category)).id
  if (names.length === 0 && !shared) return
  const memberships = await tx.rows<{ collection_id: string }>(sql`
    select collection_id
    from collection_products
    where store_id = ${store.id}
      and product_id = ${toUuid('prod', productId)}`)
  const ids = new Set(shared ? [shared] : [])
  for (const name of names) {
    const isCategory = others.some((one) => one.slice(0, maxNameLength) === name)
    ids.add(await memory(`collection ${nameKey(name)}`, () => collectionNamed(call, name, isCategory)))
  }
  for (const id of ids) {
    // One that has it already would move it to its end.
    if (memberships.some(({ collection_id }) => collection_id === id)) continue
    await addCollectionProducts(tx, store, id, { product_ids: [toUuid('prod', productId)!] })
  }
}

/** The collection that a category of the file has become, because it is a further one of other products. */
function findShared({ tx, store, startedAt, memory }: ImportWrite, category: string): Promise<{ id: string | null }> {
  return memory(`shared ${nameKey(category)}`, async () => {
    const row = await tx.one<{ id: string }>(sql`
      select id
      from collections
      where store_id = ${store.id}
        and name_key = ${nameKey(category)}
        and created_at >= ${startedAt}`)
    return { id: row?.id ?? null }
  })
}

/** Made if there is none: with the products that have the category of this name, if it is one. */
async function collectionNamed(call: ImportWrite, name: string, isCategory: boolean): Promise<string> {
  const { tx, store } = call
  const row = await tx.one<{ id: string }>(sql`
    select id
    from collections
    where store_id = ${store.id}
      and name_key = ${nameKey(name)}`)
  if (row) return row.id
  const newRecord = await createCollection(tx, store, collection.create.read({ name }, store))
  const id = toUuid('coll', newRecord.id)!
  if (!isCategory) return id
  const shared = await findShared(call, name)
  shared.id = id
  const products = await tx.rows<{ id: string }>(sql`
    select products.id
    from categories
    join products on products.store_id = ${store.id}
      and products.category_id = categories.id
    where categories.store_id = ${store.id}
      and categories.name_key = ${nameKey(name)}
    order by products.id
    limit ${maxCollectionProducts - 1}`)
  if (products.length > 0) await addCollectionProducts(tx, store, id, { product_ids: products.map((one) => one.id) })
  return id
}
