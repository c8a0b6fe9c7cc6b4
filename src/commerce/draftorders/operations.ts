// Writes of draft orders. Each prices the draft again.
import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { findRecord, loadRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { pick } from '../../kit/declare/row.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { searchable } from '../../kit/values/slug.ts'
import { emit } from '../../tenancy/events/emit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { findDefaultAddresses } from '../customers/addresses.ts'
import { chooseMainCode, nameCodeFaults } from '../discounts/codes.ts'
import { listCheckedDiscounts, toCheckedDiscountViews } from '../orders/checkeddiscounts.ts'
import { contentAfter, toDraftContent, emptyContent, isOtherCustomer, type DraftContent } from './content.ts'
import {
  draftOrder,
  type DraftItem,
  type DraftOrder,
  type DraftOrderPatch,
  type DraftOrderRow,
  type NewDraftOrder,
} from './draftorder.ts'
import { draftOrderFaults } from './errors.ts'
import { draftOrderDeletedBody, draftOrderPayload } from './payload.ts'
import { quoteDraft, savingFaults, type DraftQuote } from './quote.ts'

export async function createDraftOrder(tx: Tx, store: Store, input: NewDraftOrder): Promise<RecordOf<DraftOrder>> {
  const content = await applyPatch(tx, store, emptyContent, input)
  const quote = await quoteDraft(tx, store, content, { now: tx.now })
  requireNone(nameCodeFaults(savingFaults(quote.faults), input))
  return insertDraft(tx, store, content, quote)
}

/** A new open draft with the same content. Items that can no longer be sold stay in it until it is sent. */
export async function duplicateDraftOrder(tx: Tx, store: Store, id: string): Promise<RecordOf<DraftOrder>> {
  const row = await lockDraft(tx, store.id, id)
  const content = { ...toDraftContent(row), external_id: null }
  const existing = row.items as DraftItem[]
  return insertDraft(tx, store, content, await quoteDraft(tx, store, content, { now: tx.now, existing }))
}

async function insertDraft(
  tx: Tx,
  store: Store,
  content: DraftContent,
  quote: DraftQuote,
): Promise<RecordOf<DraftOrder>> {
  const id = newUuid()
  const own = { store_id: store.id, id, created_at: tx.now, ...toDraftValues(store, content, quote, tx.now) }
  const [row] = await tx.texts(sql`
    ${insertInto(draftOrder, storedContent(content), own)}
    returning ${draftOrder.columns}`)
  const record = await loadRecord(tx, draftOrder, store.id, row)
  emit(tx, store, 'draft_order.created', publicId('dord', id), draftOrderPayload(record.entity))
  return record
}

/** Faults refuse it only where the patch names their fields. Without changes, nothing is written. */
export async function updateDraftOrder(
  tx: Tx,
  store: Store,
  id: string,
  patch: DraftOrderPatch,
): Promise<RecordOf<DraftOrder>> {
  const row = await lockDraft(tx, store.id, id)
  const before = toDraftContent(row)
  const content = await applyPatch(tx, store, before, patch)
  if (isDeepStrictEqual(content, before)) return findRecord(tx, draftOrder, store.id, id)
  requireOpen(row)
  const quote = await quoteDraft(tx, store, content, { now: tx.now, existing: row.items as DraftItem[] })
  requireNone(nameCodeFaults(savingFaults(quote.faults), patch).filter((one) => isAbout(one, patch)))
  const values = { ...toDraftValues(store, content, quote, tx.now), blocked_at: null }
  return writeDraft(tx, store, id, storedContent(content), values)
}

async function applyPatch(tx: Tx, store: Store, before: DraftContent, patch: DraftOrderPatch): Promise<DraftContent> {
  const { customer_id, shipping_address } = patch
  const takesAddress = customer_id && shipping_address === undefined && isOtherCustomer(before, patch)
  return contentAfter(before, patch, takesAddress ? await findDefaultAddresses(tx, store.id, customer_id) : null)
}

function isAbout({ field }: Fault, patch: DraftOrderPatch): boolean {
  const [name] = field.split('.') as [string]
  const isDiscount = name.startsWith('discount_')
  return isDiscount ? Object.keys(patch).some((one) => one.startsWith('discount_')) : name in patch
}

export async function deleteDraftOrder(tx: Tx, store: Store, id: string): Promise<void> {
  await remove(tx, draftOrder, store.id, id)
  const draft_order = { id: publicId('dord', id) }
  emit(tx, store, 'draft_order.deleted', draft_order.id, draftOrderDeletedBody.write({ draft_order }))
}

/** The draft, locked until the end of the transaction. */
export async function lockDraft(tx: Tx, storeId: string, id: string): Promise<DraftOrderRow> {
  const row = await tx.one<DraftOrderRow>(sql`
    select ${draftOrder.row.columns}, ${raw('draft_orders.checkout_id')}
    from draft_orders
    where store_id = ${storeId}
      and id = ${id}
    for update`)
  if (!row) throw notFound(draftOrder.noun)
  return row
}

/** Notes that its customer wants to pay and cannot. Returns true the first time since the draft was changed. */
export async function blockDraft(tx: Tx, storeId: string, id: string): Promise<boolean> {
  const row = await tx.one(sql`
    update draft_orders
    set blocked_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}
      and blocked_at is null
      and completed_at is null
    returning id`)
  return row !== undefined
}

export function requireOpen({ completed_at }: Pick<DraftOrderRow, 'completed_at'>): void {
  if (completed_at) throw invalid(fault('status', draftOrderFaults.draft_completed))
}

export function requireNone(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalid(...faults)
}

export type DraftEvent = 'draft_order.updated' | 'draft_order.sent' | 'draft_order.completed'

/** Writes some columns and emits the event. */
export async function writeDraft(
  tx: Tx,
  store: Store,
  id: string,
  content: object,
  own: Record<string, unknown>,
  event: DraftEvent = 'draft_order.updated',
): Promise<RecordOf<DraftOrder>> {
  const [row] = await tx.texts(sql`
    update draft_orders
    set ${assignments(draftOrder, content, { ...own, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${draftOrder.columns}`)
  const record = await loadRecord(tx, draftOrder, store.id, row)
  emit(tx, store, event, record.id, draftOrderPayload(record.entity))
  return record
}

function storedContent({ items: _, ...content }: DraftContent): object {
  return content
}

const amountNames = ['subtotal', 'discount_amount', 'shipping_cost', 'tax_amount', 'total'] as const

/** The columns that follow from pricing. */
export function toDraftValues(store: Store, content: DraftContent, { items, price, buyer }: DraftQuote, now: Date) {
  const { name, email, phone } = buyer.contact
  const words = [name, email, phone, phone?.replace(/\D/g, '')]
  return {
    currency: store.currency,
    customer_name: name,
    customer_phone: phone,
    customer_email: email,
    items: JSON.stringify(items),
    item_count: content.items.reduce((count, { quantity }) => count + quantity, 0),
    discount_code: chooseMainCode(price.codes),
    discounts: JSON.stringify(toCheckedDiscountViews(listCheckedDiscounts(price))),
    ...pick(price, amountNames),
    included_tax: price.taxes.included,
    search_text: searchable(words.filter(Boolean).join(' ')).slice(0, 400),
    updated_at: now,
  }
}
