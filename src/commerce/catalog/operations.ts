import { isDeepStrictEqual } from 'node:util'
import { RetryTransaction } from '../../kit/database/errors.ts'
import type { Tx } from '../../kit/database/database.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { findRecord, loadRecord, readWithCommit } from '../../kit/declare/page.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import type { Actor, WriteResult } from '../../kit/declare/route.ts'
import { searchable } from '../../kit/values/slug.ts'
import { sql } from '../../kit/database/sql.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { emit } from '../../tenancy/events/emit.ts'
import {
  moveStock,
  recordOpenings,
  refusedOpenings,
  sumMovementQuantities,
  type OpeningStock,
} from '../inventory/stock.ts'
import { productBody, productDeletedBody } from './payload.ts'
import { countNew, moveCounters, insertIfRoom } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { firstPicture } from './gallery.ts'
import { toPublicItems, withStoredItems } from './bundle.ts'
import { planBundle, type BundleSubject } from './bundleplan.ts'
import { repriceBundles } from './bundleprices.ts'
import { product, type NewProduct, type Product, type ProductPatch } from './product.ts'
import type { Option } from './variant.ts'
import { changedTimes, resolveInitialTimes, resolvePublishingTimes } from './schedule.ts'
import { countForSale, removeFromCollections } from './collectionproducts.ts'
import { chooseSlug, keepSlug } from './slugs.ts'
import { insertVariants, isTracked, planVariants, saveVariants, stockFault, type VariantPlan } from './variants.ts'
import { catalogFaults } from './errors.ts'

const slugConstraint = 'products_slug'
const categoryConstraint = 'products_store_id_category_id_fkey'

export async function createProduct(
  tx: Tx,
  store: Store,
  input: NewProduct,
  actor: Actor,
  origin?: RecordOrigin & { archived_at: Date | null },
): Promise<RecordOf<Product>> {
  const id = origin?.id ?? newUuid()
  const bundle = await checkBundle(tx, store, { id, before: null }, input)
  const { variants, options, stock_quantity: _, ...values } = { ...input, ...bundle }
  const defaults = { manage_inventory: values.track_inventory }
  const plan = planVariants(id, { options, variants, restoresVariants: origin !== undefined }, noVariants, defaults)
  const openings = buildOpeningStock(id, plan, values.bundle_items ? { ...input, stock_quantity: 0 } : input)
  const isAsInserted = plan.rows.length === 0
  const slug = chooseSlug('products', store.id, { ...values, id })
  const columns = {
    ...slug.columns,
    id,
    ...resolveInitialTimes(tx.now, values, origin !== undefined),
    main_image: values.main_image ?? firstPicture(values.gallery),
    archived_at: origin ? origin.archived_at : values.product_status === 'archived' ? tx.now : null,
    options: JSON.stringify(plan.options),
    variant_count: plan.rows.length,
    stock_quantity: sumMovementQuantities(openings),
    is_tracked: isTracked(plan, values.track_inventory),
    search_text: slug.choose((text) => buildProductSearchText({ ...values, slug: text })),
    created_at: origin?.created_at ?? tx.now,
    updated_at: tx.now,
  }
  const insert = async () => {
    const insertion = tx.rows(insertInto(product, values, columns, slug.from), {
      [slugConstraint]: () => (values.slug ? slugTaken(values.slug) : new RetryTransaction()),
      [categoryConstraint]: unknownCategory,
    })
    // Read in the same exchange: a write cannot return what depends on discounts.
    const reading = isAsInserted
      ? tx.texts(sql`
    select ${product.columns}
    from products
    where store_id = ${store.id}
      and id = ${id}`)
      : Promise.resolve([])
    const [rows] = await Promise.all([reading, insertion])
    return rows
  }
  const [row] = await insertIfRoom(tx, store, 'products', insert)
  if (plan.rows.length > 0) insertVariants(tx, store.id, id, plan)
  recordOpenings(tx, store.id, openings, { reason: 'received', actor })
  const record = await (isAsInserted ? loadRecord(tx, product, store.id, row) : findRecord(tx, product, store.id, id))
  emit(tx, store, 'product.created', publicId('prod', id), productBody.write({ product: record.entity }))
  countNew(tx, store, 'products', `products_${values.product_status}`)
  return record
}

/** The stock that a new product begins with: its own, or that of its variants. */
function buildOpeningStock(
  id: string,
  { rows }: VariantPlan,
  { stock_quantity, continue_selling }: NewProduct,
): readonly OpeningStock[] {
  const own = { product_id: id, variant_id: null, quantity: stock_quantity, continues_selling: continue_selling }
  const openings =
    rows.length === 0
      ? [own]
      : rows.map((row) => ({
          product_id: id,
          variant_id: row.id,
          quantity: row.stock_quantity,
          continues_selling: row.continue_selling_when_out_of_stock,
        }))
  const refusals = refusedOpenings(openings)
  if (refusals.length > 0) throw invalid(...(rows.length === 0 ? [ownStockFault()] : refusals.map(stockFault)))
  return openings
}

function ownStockFault() {
  return fault('stock_quantity', catalogFaults.below_zero_product)
}

const noVariants = { options: [], variants: [] }

/** A revert can restore more than a request body: deleted variants, and the time of archiving. */
export type ProductUpdate = ProductPatch & { archived_at?: Date; restoresVariants?: boolean }

/**
 * A partial update. `variants` replaces all variants by id: those that are omitted are deleted. An update without
 * changes keeps updated_at and emits no event.
 */
export async function updateProduct(
  tx: Tx,
  store: Store,
  id: string,
  { archived_at = tx.now, restoresVariants = false, ...patch }: ProductUpdate,
  actor: Actor,
): Promise<WriteResult<Product>> {
  const record = await lockProduct(tx, store.id, id)
  const before = record.entity
  const stored = withStoredItems(before)
  const bundle = await checkBundle(tx, store, { id, before: stored, isUndone: restoresVariants }, patch)
  const { variants, options, stock_quantity, ...values } = { ...patch, ...bundle }
  const current = { ...stored, options: before.options as Option[] }
  const defaults = { manage_inventory: values.track_inventory ?? before.track_inventory }
  const plan = planVariants(id, { options, variants, restoresVariants }, current, defaults)
  if (isSame(before, { ...patch, ...bundle }, plan)) return record
  const cause = { reason: 'correction', actor }
  const status = values.product_status ?? before.product_status
  const isBundle = (values.bundle_items === undefined ? before.bundle_items : values.bundle_items) !== null
  const changesVariants = variants !== undefined && (variants.length > 0 || before.variants.length > 0)
  const becomesBundle = isBundle && !before.bundle_items
  // The first variant replaces the product's own stock, and so does the first part of a bundle.
  if (before.variants.length === 0 && (changesVariants || becomesBundle))
    await setStock(tx, store.id, id, -before.stock_quantity, cause)
  // The stock of a bundle cannot move, so that of its last variants goes first.
  if (changesVariants && becomesBundle) await saveVariants(tx, store.id, id, plan, cause)
  if (values.slug && values.slug !== before.slug) moveSlug(tx, store.id, id, values.slug)
  const derived = {
    ...(values.gallery || values.main_image === null ? { main_image: chooseMainImage(values, before) } : {}),
    ...(status !== before.product_status ? { archived_at: status === 'archived' ? archived_at : null } : {}),
  }
  tx.later(
    sql`
    update products
    set ${assignments(product, values, {
      ...changedTimes(before, values, resolvePublishingTimes(tx.now, before, values, restoresVariants)),
      ...derived,
      ...(options || variants ? { options: JSON.stringify(plan.options) } : {}),
      ...(changesVariants ? { variant_count: plan.rows.length } : {}),
      is_tracked: isTracked(plan, values.track_inventory ?? before.track_inventory),
      search_text: buildProductSearchText({ ...before, ...values }),
      updated_at: tx.now,
    })}
    where store_id = ${store.id}
      and id = ${id}`,
    { [slugConstraint]: () => slugTaken(values.slug!), [categoryConstraint]: unknownCategory },
  )
  if (status !== before.product_status) followStatus(tx, store.id, id, before.product_status, status)
  if (changesVariants && !becomesBundle) await saveVariants(tx, store.id, id, plan, cause)
  if (values.price !== undefined || variants) await repriceBundles(tx, store, [id])
  if (stock_quantity !== undefined && plan.rows.length === 0 && !isBundle) {
    await setStock(tx, store.id, id, stock_quantity - (changesVariants ? 0 : before.stock_quantity), cause)
  }
  const summary = productBody.write({ product: { ...before, ...values, ...derived } })
  emit(tx, store, 'product.updated', publicId('prod', id), summary)
  return readWithCommit(tx, product, store.id, id)
}

function slugTaken(slug: string): Error {
  return conflict(`A product with the slug ${slug} already exists`)
}

function moveSlug(tx: Tx, storeId: string, id: string, slug: string): void {
  advisoryLock(tx, `slugs of products ${storeId}`)
  keepSlug(tx, storeId, 'products', id, slug)
}

type ProductStatus = Product['product_status']

function followStatus(tx: Tx, storeId: string, id: string, before: ProductStatus, after: ProductStatus): void {
  countForSale(tx, storeId, after === 'active' ? [id] : [], before === 'active' ? [id] : [])
  moveCounters(tx, storeId, { [`products_${before}`]: -1, [`products_${after}`]: 1 })
}

export async function deleteProduct(tx: Tx, store: Store, id: string): Promise<void> {
  removeFromCollections(tx, store.id, id)
  const [deletion] = await tx.rows<{ product_status: string }>(sql`
    delete from products
    where store_id = ${store.id}
      and id = ${id}
    returning product_status`)
  if (!deletion) throw notFound(product.noun)
  moveCounters(tx, store.id, { [`products_${deletion.product_status}`]: -1 })
  const subject = publicId('prod', id)
  emit(tx, store, 'product.deleted', subject, productDeletedBody.write({ product: { id: subject } }))
}

/** Plans the values of a bundle. What is wrong with them is reported together with an unknown category. */
async function checkBundle(
  tx: Tx,
  store: Store,
  bundle: Omit<BundleSubject, 'others'>,
  input: ProductPatch,
): Promise<ReturnType<typeof planBundle>> {
  const others = await findCategoryFaults(tx, store.id, input)
  const planned = await planBundle(tx, store, { ...bundle, others }, input)
  if (others.length > 0) throw invalid(...others)
  return planned
}

/**
 * Beside a slug, because validation errors are reported before conflicts, but PostgreSQL finds the conflict first. The
 * category of any other product is checked by its foreign key.
 */
async function findCategoryFaults(
  tx: Tx,
  storeId: string,
  { slug, category_id, bundle_items, variants = [] }: ProductPatch,
): Promise<Fault[]> {
  if (!category_id || !(slug || bundle_items || variants.some((one) => one.bundle_items))) return []
  const category = await tx.one(sql`
    select from categories
    where store_id = ${storeId}
      and id = ${category_id}`)
  return category ? [] : [categoryFault]
}

const categoryFault = fault('category_id', generalFaults.does_not_exist)

function unknownCategory(): Error {
  return invalid(categoryFault)
}

/** True if nothing would change, as when a client sends back what it has read. */
function isSame(before: Product, patch: ProductPatch, { options, rows }: VariantPlan): boolean {
  const { category_id, bundle_items, stock_quantity = before.stock_quantity } = patch
  const request = {
    ...patch,
    ...(category_id ? { category_id: publicId('cat', category_id) } : { category_id }),
    bundle_items: toPublicItems(bundle_items),
    main_image: chooseMainImage(patch, before),
    stock_quantity: rows.length === 0 ? stock_quantity : before.stock_quantity,
    options,
    variants: rows.map((row) => ({ ...row, bundle_items: toPublicItems(row.bundle_items) })),
  }
  return Object.entries(request).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(value, before[name as keyof Product]),
  )
}

/** The current product, locked until the end of the transaction. */
async function lockProduct(tx: Tx, storeId: string, id: string): Promise<RecordOf<Product>> {
  tx.later(sql`
    select from products
    where store_id = ${storeId}
      and id = ${id}
    for update`)
  return findRecord(tx, product, storeId, id)
}

async function setStock(
  tx: Tx,
  storeId: string,
  id: string,
  quantity: number,
  cause: { reason: string; actor: Actor },
): Promise<void> {
  if (quantity === 0) return
  const rejections = await moveStock(tx, storeId, [{ product_id: id, variant_id: null, quantity }], cause)
  if (rejections.length > 0) throw invalid(ownStockFault())
}

/** A main image set by the client stays; one taken from the gallery follows the gallery. */
function chooseMainImage(values: ProductPatch, before: Product): string | null {
  if (values.main_image) return values.main_image
  const first = firstPicture(values.gallery ?? before.gallery)
  const wasFirst = before.main_image === null || before.main_image === firstPicture(before.gallery)
  return values.main_image === null || wasFirst ? first : before.main_image
}

function buildProductSearchText({ name, sku, slug }: { name: string; sku?: string | null; slug: string }): string {
  return searchable(name, sku, slug)
}
