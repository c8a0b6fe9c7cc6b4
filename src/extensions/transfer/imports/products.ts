// Products of a file: each with its variants, images, category and collections.
import { fault } from '../../../kit/values/faults.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { nameKey } from '../../../kit/values/names.ts'
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { collection } from '../../../commerce/catalog/collection.ts'
import { addCollectionProducts } from '../../../commerce/catalog/collectionproducts.ts'
import { createCollection } from '../../../commerce/catalog/collections.ts'
import { getRequiredProductFeature } from '../../../commerce/catalog/features.ts'
import { createProduct, deleteProduct, updateProduct } from '../../../commerce/catalog/operations.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { buildCombinationKey } from '../../../commerce/catalog/variant.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { categoryNamed } from './named.ts'
import { importFaults } from './errors.ts'
import { rowFields } from './fields.ts'
import type { CheckTime, Match, RecordKind, ImportWrite } from './kind.ts'
import { productDraft, sharePrice } from './productdraft.ts'
import { maxImages } from './productimages.ts'
import type { Draft } from './record.ts'
import { redirectProduct, removeProductRedirects } from './redirects.ts'

export const products: RecordKind = {
  prefix: 'prod',
  draft: productDraft,
  body: product,
  featureOf: getRequiredProductFeature,
  keysOf: (input) => [
    ...(typeof input.slug === 'string' ? [`slug ${input.slug}`] : []),
    ...listSkus(input).map((sku) => `SKU ${sku}`),
  ],
  identityOf: (input) =>
    typeof input.slug === 'string' ? [`slug ${input.slug}`] : listSkus(input).map((sku) => `SKU ${sku}`),
  faults: ({ name, sku, parent_row }, _, { isUpdate }) => {
    if (isUpdate || name !== undefined) return []
    if (parent_row !== undefined) return [fault('parent_row', importFaults.parent_missing)]
    return sku === undefined ? [] : [fault('sku', importFaults.product_unknown)]
  },
  hold: (input) => {
    if ((input.product_status ?? 'active') === 'active') input.product_status = 'draft'
  },
  find,
  create,
  update,
  async remove({ tx, store }, id) {
    await removeProductRedirects({ tx, store }, id)
    await deleteProduct(tx, store, id)
  },
}

/**
 * By slug, else by SKU. Other systems know products by their handle alone: two in one file can have the same SKU, so
 * one that the import itself has created is known by its slug only.
 */
async function find(
  db: Db,
  store: Store,
  drafts: readonly Draft[],
  { startedAt }: CheckTime,
): Promise<(Match | null)[]> {
  const slugs = drafts.flatMap(({ input }) => (typeof input.slug === 'string' ? input.slug : []))
  const skus = drafts.flatMap(({ input }) => listSkus(input))
  const [bySlug, bySku] = await Promise.all([
    slugs.length === 0
      ? []
      : db.rows<{ key: string; id: string }>(sql`
      select slug as key, id
      from products
      where store_id = ${store.id}
        and slug = any(${slugs})`),
    skus.length === 0
      ? []
      : db.rows<{ key: string; id: string; created_at: Date }>(sql`
      select sku as key, id, created_at
      from products
      where store_id = ${store.id}
        and sku = any(${skus})
      union all
      select variants.sku, product_id, products.created_at
      from variants
      join products on products.store_id = ${store.id}
        and products.id = product_id
      where variants.store_id = ${store.id}
        and variants.sku = any(${skus})`),
  ])
  const idOfSlug = new Map(bySlug.map(({ key, id }) => [key, id]))
  const idOfSku = new Map(bySku.map(({ key, id }) => [key, id]))
  const isNew = ({ created_at }: { created_at: Date }) => startedAt !== null && created_at >= startedAt
  const olderIdOfSku = new Map(bySku.filter((one) => !isNew(one)).map(({ key, id }) => [key, id]))
  return drafts.map(({ input }) => {
    const id = idOfSlug.get(input.slug)
    if (id) return { id, by: 'slug', value: input.slug }
    const ids = input.slug === undefined ? idOfSku : olderIdOfSku
    const sku = listSkus(input).find((one) => ids.has(one))
    return sku ? { id: ids.get(sku)!, by: 'SKU', value: sku } : null
  })
}

function listSkus({ sku, variants = [] }: Record<string, any>): string[] {
  return [sku, ...variants.map((one: { sku?: unknown }) => one.sku)].filter((one) => typeof one === 'string')
}

async function create(call: ImportWrite, draft: Record<string, any>): Promise<string> {
  const { category, collections, handle, ...input } = draft
  const { tx, store, actor } = call
  const body = product.create.read({ ...input, ...(await resolveImportCategory(call, category)) }, store)
  const { entity } = await createProduct(tx, store, body, actor)
  await addTo(call, entity.id, collections)
  if (handle) await redirectProduct(call, handle, entity.slug)
  return entity.id
}

/** Variants of the file replace those with the same ID, SKU or options; the others stay, as do options that it has. */
async function update(call: ImportWrite, id: string, draft: Record<string, any>) {
  const { tx, store, actor } = call
  const { entity, json: before } = await findRecord(tx, product, store.id, id)
  const { category, collections, ...input } = changeVariant(entity, draft)
  const variants = input.variants && mergeVariants(entity, input)
  const changes = {
    ...input,
    ...(variants ? { variants } : {}),
    ...(input.options ? { options: mergeOptions(entity.options, input.options) } : {}),
    ...sameGallery(input.gallery, entity.gallery),
  }
  const body = product.patch.read({ ...changes, ...(await resolveImportCategory(call, category)) }, store)
  const { json: after } = await updateProduct(tx, store, id, body, actor)
  await addTo(call, entity.id, collections)
  // Several rows of one transaction can change the same product.
  return (await after) !== before
}

type ExistingProduct = Pick<Entity<typeof product.fields>, 'sku' | 'price' | 'variants'>

/** A row with the SKU of a variant, and no options, is about the variant alone. */
function changeVariant({ sku, variants }: ExistingProduct, draft: Record<string, any>): Record<string, any> {
  const id = draft.variants || draft.sku === sku ? undefined : variants.find((one) => one.sku === draft.sku)?.id
  if (id === undefined) return draft
  const values = Object.entries(rowFields).flatMap(([field, name]) => (field in draft ? [[name, draft[field]]] : []))
  const isTracked = draft.track_inventory === true ? { track_inventory: true } : {}
  return { ...isTracked, variants: [{ id, ...Object.fromEntries(values) }] }
}

/** Changes the variants of the file, and the product's own price if it has all of them. */
function mergeVariants(product: ExistingProduct, input: Record<string, any>): object[] {
  const changes = new Map<string, Record<string, any>>()
  const newVariants: Record<string, any>[] = []
  for (const { option_values = [], ...one } of input.variants) {
    const options = buildCombinationKey({ option_values })
    const match = product.variants.find(
      (other) =>
        !changes.has(other.id) &&
        (other.id === one.id || (one.sku && other.sku === one.sku) || buildCombinationKey(other) === options),
    )
    if (!match) newVariants.push({ ...one, option_values })
    else {
      const isSame = option_values.length === 0 || buildCombinationKey(match) === options
      changes.set(match.id, { ...one, id: match.id, ...(isSame ? {} : { option_values }) })
    }
  }
  const allVariants = [...changes.values(), ...newVariants]
  const isWhole =
    allVariants.every(({ price }) => typeof price === 'number') && changes.size === product.variants.length
  if (isWhole) sharePrice(Object.assign(input, { variants: allVariants }))
  for (const { id, price } of product.variants) {
    const change = changes.get(id)
    // It goes on following the price of the product.
    if (price === null && change?.price === Number(product.price)) change.price = null
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

/** The first of several categories counts. */
async function resolveImportCategory(call: ImportWrite, names?: string[]): Promise<{ category_id?: string }> {
  return names?.[0] ? { category_id: await categoryNamed(call, names[0]) } : {}
}

async function addTo(call: ImportWrite, productId: string, names: string[] = []): Promise<void> {
  const { tx, store, memory } = call
  if (names.length === 0) return
  const memberships = await tx.rows<{ collection_id: string }>(sql`
    select collection_id
    from collection_products
    where store_id = ${store.id}
      and product_id = ${toUuid('prod', productId)}`)
  for (const name of names) {
    const id = await memory(`collection ${nameKey(name)}`, async () => {
      const row = await tx.one<{ id: string }>(sql`
        select id
        from collections
        where store_id = ${store.id}
          and name_key = ${nameKey(name)}`)
      if (row) return row.id
      const newRecord = await createCollection(tx, store, collection.create.read({ name }, store))
      return toUuid('coll', newRecord.id)!
    })
    // One that has it already would move it to its end.
    if (memberships.some(({ collection_id }) => collection_id === id)) continue
    await addCollectionProducts(tx, store, id, { product_ids: [toUuid('prod', productId)!] })
  }
}
