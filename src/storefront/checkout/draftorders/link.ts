// The link that pays a draft order: the draft's ID, signed together with its checkout. Revoking the link removes the
// checkout from the draft.
import type { Db, Tx } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import type { Create } from '../../../kit/declare/field.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { insertInto, resource, type Json, type RecordOf } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { flag, integer, url } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { equalSecrets, hashSecret, type Vault } from '../../../kit/values/secrets.ts'
import { toDraftContent } from '../../../commerce/draftorders/content.ts'
import {
  draftOrder,
  type DraftItem,
  type DraftOrder,
  type DraftOrderRow,
} from '../../../commerce/draftorders/draftorder.ts'
import { draftOrderFaults } from '../../../commerce/draftorders/errors.ts'
import {
  lockDraft,
  requireNone,
  requireOpen,
  toDraftValues,
  writeDraft,
} from '../../../commerce/draftorders/operations.ts'
import { quoteDraft, type DraftQuote } from '../../../commerce/draftorders/quote.ts'
import { queueMail } from '../../../tenancy/emails/queue.ts'
import { toOrderSource } from '../../../commerce/orders/source.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { newRow } from '../cart/operations.ts'
import { checkout, type CheckoutRow } from '../checkout.ts'
import { newToken } from '../link.ts'
import { addSeconds } from '../states.ts'

const maxDays = 90

// prettier-ignore
const fields = {
  send:            flag().default(true).describe('Whether to email the link to the customer'),
  expires_in_days: integer({ min: 1, max: maxDays }).default(7).describe('Days until the link expires'),
}

export const newDraftLink = createBody(fields)
export type NewDraftLink = Create<typeof fields>

// prettier-ignore
export const draftLink = resource('draft_orders', {
  url:        url().readonly().describe('Page of the online store where the draft order is paid'),
  amount:     draftOrder.fields.total.describe('Amount to pay at current prices'),
  currency:   draftOrder.fields.currency,
  expires_at: draftOrder.fields.link_expires_at.describe('When the link expires'),
  sent_to:    draftOrder.fields.customer_email.readonly()
    .describe('Email that the link is sent to; null if it is not sent'),
}, {}, { noun: 'Draft order', title: 'Draft order link' }).entity

const day = 24 * 60 * 60
/** A payment that was started by the link can still end until then. */
const afterExpiry = 30 * day

/** Extends a link that has not expired, or creates a new one. */
export async function createDraftLink(
  tx: Tx,
  store: Store,
  id: string,
  { send, expires_in_days }: NewDraftLink,
  { vault }: { vault: Vault },
): Promise<Json<object>> {
  const row = await lockDraft(tx, store.id, id)
  requireOpen(row)
  const content = toDraftContent(row)
  const quote = await quoteDraft(tx, store, content, { now: tx.now, existing: row.items as DraftItem[] })
  const { email } = quote.buyer.contact
  const missing: Fault[] = send && !email ? [fault('send', draftOrderFaults.email_required)] : []
  requireNone([...quote.faults, ...missing])
  const expiresAt = addSeconds(tx.now, expires_in_days * day)
  const checkout_id = continueCheckout(tx, store, row, quote, addSeconds(expiresAt, afterExpiry))
  if (send) {
    const language = row.locale ?? ownLanguage(store)
    queueMail(tx, store.id, { kind: 'draft_order_link', recipient: email!, language, about: { draft_order_id: id } })
  }
  const values = {
    ...toDraftValues(store, content, quote, tx.now),
    checkout_id,
    link_expires_at: expiresAt,
    blocked_at: null,
  }
  const event = send ? 'draft_order.sent' : 'draft_order.updated'
  const { entity } = await writeDraft(
    tx,
    store,
    id,
    {},
    { ...values, ...(send ? { link_sent_at: tx.now } : {}) },
    event,
  )
  const path = draftPath(vault, store.id, { id, checkout_id })
  const { total: amount, currency } = entity
  return json({
    url: `${store.storefront_url}${path}`,
    amount,
    currency,
    expires_at: expiresAt,
    sent_to: send ? email : null,
  })
}

/** Returns the UUID of the link's checkout. */
function continueCheckout(tx: Tx, store: Store, row: DraftOrderRow, quote: DraftQuote, dueAt: Date): string {
  const isLive = row.checkout_id !== null && row.link_expires_at! > tx.now
  if (!isLive) return openCheckout(tx, store, row, quote, dueAt)
  tx.later(sql`
    update checkouts
    set due_at = ${dueAt}
    where store_id = ${store.id}
      and id = ${row.checkout_id}`)
  return row.checkout_id!
}

/** Nobody knows the checkout's token, so only the link leads to it. */
function openCheckout(tx: Tx, store: Store, row: DraftOrderRow, { price, buyer }: DraftQuote, dueAt: Date): string {
  const { name, email, phone } = buyer.contact
  const blankRow = newRow(store, tx.now)
  const values: CheckoutRow = {
    ...blankRow,
    ...toOrderSource(tx.cause),
    draft_order_id: row.id,
    customer_name: name,
    customer_email: email,
    customer_phone: phone,
    locale: row.locale ?? blankRow.locale,
    subtotal: String(price.subtotal),
    discount: String(price.discount_amount),
    shipping: String(price.shipping_cost),
    tax: String(price.tax_amount),
    total: String(price.total),
  }
  tx.later(insertInto(checkout, values, { store_id: store.id, token_hash: hashSecret(newToken()), due_at: dueAt }))
  return values.id
}

/** Revokes the link. Money that still arrives by it is refunded. */
export async function revokeDraftLink(tx: Tx, store: Store, id: string): Promise<RecordOf<DraftOrder>> {
  const row = await lockDraft(tx, store.id, id)
  requireOpen(row)
  if (row.checkout_id === null) return findRecord(tx, draftOrder, store.id, id)
  return writeDraft(tx, store, id, {}, { checkout_id: null, link_expires_at: null })
}

type LinkedDraft = { id: string; checkout_id: string }

/** The path below the store's URL; `id` is a uuid. */
export function draftPath(vault: Vault, storeId: string, { id, checkout_id }: LinkedDraft): string {
  const draft = publicId('dord', id)
  return `/pay/${draft}.${vault.sign(`${draft} ${checkout_id}`, signContext(storeId))}`
}

/** The draft of a link; null if the link was never valid or is no longer valid. */
export async function draftOfLink(db: Db, store: Store, link: string, vault: Vault): Promise<DraftOrderRow | null> {
  const [draft = '', signature = ''] = link.split('.')
  const id = toUuid('dord', draft)
  const row = id && (await findDraftRow(db, store.id, id))
  if (!row || row.checkout_id === null) return null
  const isOwn = equalSecrets(signature, vault.sign(`${draft} ${row.checkout_id}`, signContext(store.id)))
  return isOwn ? row : null
}

export function findDraftRow(db: Db, storeId: string, id: string): Promise<DraftOrderRow | undefined> {
  return db.one<DraftOrderRow>(sql`
    select ${draftOrder.row.columns}, ${raw('draft_orders.checkout_id')}
    from draft_orders
    where store_id = ${storeId}
      and id = ${id}`)
}

function signContext(storeId: string): string {
  return `draft order link ${storeId}`
}
