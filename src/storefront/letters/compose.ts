// Composes queued emails from the current data when they are sent.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { notFound } from '../../kit/values/errors.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { findFulfillment } from '../../commerce/fulfillments/operations.ts'
import { translateLines } from '../../commerce/catalog/linenames.ts'
import type { EmailMessage as Sent } from '../../platform/outbound/mail.ts'
import type { ClaimedMail } from '../../tenancy/emails/claim.ts'
import type { Enquiry } from '../../tenancy/emails/enquiry.ts'
import {
  isAccountKind,
  isCheckoutKind,
  isDraftOrderKind,
  isPaymentKind,
  getMailKind,
} from '../../tenancy/emails/kinds.ts'
import type { MailKind, OrderMail, PaymentMail } from '../../tenancy/emails/kinds.ts'
import type { Compose } from '../../tenancy/emails/sender.ts'
import { deriveShopperCode, findById, signShopperLink } from '../accounts/signin.ts'
import { orderPath } from '../../commerce/orders/link.ts'
import { order as orders } from '../../commerce/orders/order.ts'
import { chooseTranslation } from '../../tenancy/stores/language.ts'
import { orderReturn } from '../../commerce/returns/return.ts'
import { findRefund } from '../../commerce/orders/refunds/operations.ts'
import { accountLetter, type AccountTools } from './account.ts'
import { findAbandoned } from './checkout.ts'
import { findLetterDraft } from './draftorder.ts'
import { enquiryLetter } from './enquiry.ts'
import { composeExtensionLetter, type ExtensionLetters } from './extension.ts'
import { findImage, findMethods, findRefunds } from './facts.ts'
import type { LetterOrder, LetterParcel, LetterRefund, LetterRefunds, LetterReturn } from './facts.ts'
import { renderLetterHtml } from './html.ts'
import type { LetterContent as Blocks } from './letter.ts'
import { orderLetter } from './order.ts'
import { findLetterPayment, paymentLetter, type LetterPayment } from './payment.ts'
import { renderLetterText } from './plain.ts'
import { summaryLetter, type TeamSummary } from './summary.ts'
import { signInLetter, type SignInProof } from './signin.ts'
import { findLetterStore, ownImage, shopUrl } from './store.ts'

export function composer(db: Db, deps: AccountTools, letters: ExtensionLetters): Compose {
  return async ({ recipient, kind, ...mail }) => {
    if (isAccountKind(kind)) return fromSite(await accountLetter(db, deps, { kind, ...mail }), recipient)
    const composedLetter =
      kind === 'extension'
        ? await aboutExtension(db, { recipient, ...mail }, deps.vault, letters)
        : await findLetter(db, { kind, ...mail }, deps.vault)
    if ('unwanted' in composedLetter) return composedLetter
    const { customerId, isClosed, letter } = composedLetter
    return isClosed ? { unwanted: 'The store is closed' } : { to: recipient, customerId, ...letter }
  }
}

type StoreMail = Omit<ClaimedMail, 'recipient' | 'kind'> & { kind: MailKind }

function findLetter(db: Db, { kind, ...mail }: StoreMail, vault: Vault): Promise<AddressedLetter | NotSent> {
  if (kind === 'contact_message') return aboutEnquiry(db, mail)
  if (kind === 'team_summary') return aboutSummary(db, mail)
  if (kind === 'account_sign_in') return aboutSignIn(db, mail, vault)
  if (isPaymentKind(kind)) return aboutPayment(db, { kind, ...mail })
  return aboutOrder(db, { kind, ...mail }, vault)
}

async function aboutPayment(
  db: Db,
  { store_id: storeId, kind, language, payment_id }: StoreMail & { kind: PaymentMail },
): Promise<AddressedLetter | NotSent> {
  const payment = payment_id && (await findLetterPayment(db, { storeId, id: payment_id, kind }))
  if (!payment) return { unwanted: 'The payment does not exist' }
  return { ...(await composePayment(db, { storeId, kind, language, payment })), customerId: payment.customer_id }
}

/** Sets no sender name, because the default one is the operator's. */
async function fromSite(letter: Blocks | NotSent, recipient: string): Promise<Sent | NotSent> {
  if ('unwanted' in letter) return letter
  return { to: recipient, subject: letter.subject, ...(await renderLetterBodies(letter)) }
}

type AddressedLetter = ComposedLetter & { customerId: string | null }
type NotSent = { unwanted: string }

async function aboutEnquiry(
  db: Db,
  { store_id: storeId, language, enquiry }: Pick<ClaimedMail, 'store_id' | 'language' | 'enquiry'>,
): Promise<AddressedLetter | NotSent> {
  if (enquiry === null) return { unwanted: "The sender's data has been erased" }
  const [letter, customer] = await Promise.all([
    composeEnquiry(db, { storeId, language, enquiry }),
    findCustomerWithEmail(db, storeId, enquiry.email),
  ])
  return { ...letter, customerId: customer?.id ?? null }
}

function findCustomerWithEmail(db: Db, storeId: string, email: string): Promise<{ id: string } | undefined> {
  return db.one<{ id: string }>(sql`
      select id
      from customers
      where store_id = ${storeId}
        and lower(email) = lower(${email})
      order by id
      limit 1`)
}

async function aboutSummary(
  db: Db,
  { store_id: storeId, language, account }: Pick<ClaimedMail, 'store_id' | 'language' | 'account'>,
): Promise<AddressedLetter> {
  return { ...(await composeSummary(db, { storeId, language, summary: account ?? {} })), customerId: null }
}

async function aboutExtension(
  db: Db,
  {
    store_id: storeId,
    recipient,
    language,
    account,
  }: Pick<ClaimedMail, 'store_id' | 'recipient' | 'language' | 'account'>,
  vault: Vault,
  letters: ExtensionLetters,
): Promise<AddressedLetter | NotSent> {
  const [store, customer] = await Promise.all([
    findLetterStore(db, storeId, { kind: 'extension', language }),
    findCustomerWithEmail(db, storeId, recipient),
  ])
  if (!store) throw notFound('Store')
  const letter = await composeExtensionLetter(db, vault, letters, { store, language, values: account })
  if ('unwanted' in letter) return letter
  const { unsubscribeUrl, ...content } = letter
  const headers = unsubscribeUrl ? unsubscribeHeaders(unsubscribeUrl) : {}
  const head = { replyTo: store.reply_to_email, headers, isClosed: store.status === 'closed' }
  return { ...(await withBodies(content, head)), customerId: customer?.id ?? null }
}

async function aboutSignIn(
  db: Db,
  { store_id: storeId, id, language }: Pick<ClaimedMail, 'store_id' | 'id' | 'language'>,
  vault: Vault,
): Promise<AddressedLetter | NotSent> {
  const pending = await findById(db, storeId, id)
  if (!pending) return { unwanted: 'The link in it is no longer valid' }
  const proof = {
    path: `/account/sign-in/${signShopperLink(vault, storeId, id)}`,
    code: deriveShopperCode(vault, storeId, id),
  }
  return { ...(await composeSignIn(db, { storeId, language, proof })), customerId: null }
}

type AboutOrder = StoreMail & { kind: OrderMail }

async function aboutOrder(db: Db, mail: AboutOrder, vault: Vault): Promise<AddressedLetter | NotSent> {
  const { store_id: storeId, kind, language } = mail
  const about = await findLetterSubject(db, storeId, mail, vault)
  if ('unwanted' in about) return about
  const { customerId, ...subject } = about
  return { ...(await composeOrderLetter(db, { storeId, kind, language, ...subject })), customerId }
}

const aboutNothing = { parcel: null, refund: null, returned: null }

type Ids = Pick<
  AboutOrder,
  'kind' | 'order_id' | 'checkout_id' | 'draft_order_id' | 'fulfillment_id' | 'refund_id' | 'return_id'
>
type OrderSubject = Pick<
  LetterSubject,
  'order' | 'parcel' | 'refund' | 'returned' | 'path' | 'url' | 'unsubscribePath'
> & { customerId: string | null }

async function findLetterSubject(
  db: Db,
  storeId: string,
  { kind, order_id, checkout_id, draft_order_id, fulfillment_id, refund_id, return_id }: Ids,
  vault: Vault,
): Promise<OrderSubject | NotSent> {
  if (isCheckoutKind(kind)) {
    const checkout = await findAbandoned(db, vault, { storeId, id: checkout_id!, kind })
    return 'unwanted' in checkout ? checkout : { ...checkout, ...aboutNothing, customerId: null }
  }
  if (isDraftOrderKind(kind)) {
    const draft = await findLetterDraft(db, vault, { storeId, id: draft_order_id!, kind })
    return 'unwanted' in draft ? draft : { ...draft, ...aboutNothing, unsubscribePath: null }
  }
  if (order_id === null) return { unwanted: 'The email has no order' }
  const [{ entity: order }, fulfillment, refunded, sentBack] = await Promise.all([
    findRecord(db, orders, storeId, order_id),
    fulfillment_id ? findFulfillment(db, storeId, order_id, fulfillment_id) : null,
    refund_id ? findRefund(db, storeId, order_id, refund_id) : null,
    return_id ? findRecord(db, orderReturn, storeId, return_id) : null,
  ])
  const [parcel, refund] = [fulfillment?.entity ?? null, refunded?.entity ?? null]
  const returnEntity = sentBack?.entity ?? null
  if (parcel?.cancelled_at) return { unwanted: 'The shipment was canceled' }
  const customerId = order.customer_id && toUuid('cus', order.customer_id)
  const path = orderPath(vault, storeId, order.id)
  const isSettled = kind === 'payment_request' && order.amount_due === 0
  if (isSettled) return { unwanted: 'Nothing is due any more' }
  return {
    order,
    parcel,
    refund,
    returned: returnEntity,
    path: buildLetterPath(kind, path),
    unsubscribePath: null,
    customerId,
  }
}

function buildLetterPath(kind: MailKind, path: string): string {
  return kind === 'payment_request' ? `${path}/pay` : path
}

type LetterMessage = Required<Pick<Sent, 'subject' | 'html' | 'text' | 'fromName' | 'headers'>> & {
  replyTo: string | null
}
export type ComposedLetter = { letter: LetterMessage; isClosed: boolean }

type LetterSubject = {
  storeId: string
  kind: OrderMail
  language: Language
  /** May be sample data. */
  order: LetterOrder
  parcel: LetterParcel | null
  refund: LetterRefund | null
  returned: LetterReturn | null
  /** Replaces the order's refunds in a sample. */
  refunds?: LetterRefunds | null
  /** The target of the button: a path below the store's URL. */
  path: string
  /** A page outside of the store; replaces the path. */
  url?: string | null
  /** The path that unsubscribes from such emails; null if there is none. */
  unsubscribePath: string | null
}

/** Composes the email as it would be sent now. */
export async function composeOrderLetter(
  db: Db,
  { storeId, kind, language, path, url: own = null, unsubscribePath, ...about }: LetterSubject,
): Promise<ComposedLetter> {
  const [store, methods, refunds, picture] = await Promise.all([
    findLetterStore(db, storeId, { kind, language }),
    findMethods(db, storeId, about.order),
    kind === 'order_cancelled' ? (about.refunds ?? findRefunds(db, storeId, about.order)) : null,
    kind === 'abandoned_checkout' ? findImage(db, storeId, about.order.items[0]) : null,
  ])
  if (!store) throw notFound('Store')
  const isForStaff = getMailKind(kind).to === 'merchant'
  const url =
    own ??
    (isForStaff
      ? `${store.site_url}/dashboard/${storeId}${buildStaffPath(kind, about)}`
      : shopUrl(store, path, language))
  const items = await translateLines(db, storeId, chooseTranslation(store, language), about.order.items)
  const order = { ...about.order, items }
  const unsubscribeUrl = unsubscribePath && shopUrl(store, unsubscribePath, language)
  const image = picture ? ownImage(store, picture) : null
  const letter = orderLetter(kind, {
    ...methods,
    ...about,
    refunds,
    order,
    store,
    language,
    url,
    unsubscribeUrl,
    image,
  })
  const headers = unsubscribeUrl ? unsubscribeHeaders(unsubscribeUrl) : {}
  return withBodies(letter, { replyTo: store.reply_to_email, headers, isClosed: store.status === 'closed' })
}

/** Staff act in the dashboard: a link to the shopper's page would let them act as the shopper. */
function buildStaffPath(kind: OrderMail, { order, returned }: Pick<LetterSubject, 'order' | 'returned'>): string {
  return kind === 'return_notice' && returned ? `/returns/${returned.id}` : `/orders/${order.id}`
}

/** RFC 8058: mail programs end such emails with one click. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** Replies go to the visitor. */
export async function composeEnquiry(
  db: Db,
  { storeId, language, enquiry }: { storeId: string; language: Language; enquiry: Enquiry },
): Promise<ComposedLetter> {
  const store = await findLetterStore(db, storeId, { kind: 'contact_message', language })
  if (!store) throw notFound('Store')
  const letter = enquiryLetter(enquiry, { store, language })
  return withBodies(letter, { replyTo: enquiry.email, headers: {}, isClosed: store.status === 'closed' })
}

export async function composeSummary(
  db: Db,
  { storeId, language, summary }: { storeId: string; language: Language; summary: TeamSummary },
): Promise<ComposedLetter> {
  const store = await findLetterStore(db, storeId, { kind: 'team_summary', language })
  if (!store) throw notFound('Store')
  const letter = summaryLetter(summary, { store, language })
  return withBodies(letter, { replyTo: store.reply_to_email, headers: {}, isClosed: store.status === 'closed' })
}

/** `proof`: the target of the button, and the code. */
export async function composeSignIn(
  db: Db,
  { storeId, language, proof }: { storeId: string; language: Language; proof: SignInProof },
): Promise<ComposedLetter> {
  const store = await findLetterStore(db, storeId, { kind: 'account_sign_in', language })
  if (!store) throw notFound('Store')
  const letter = signInLetter(proof, { store, language })
  return withBodies(letter, { replyTo: store.reply_to_email, headers: {}, isClosed: store.status === 'closed' })
}

export async function composePayment(
  db: Db,
  about: { storeId: string; kind: PaymentMail; language: Language; payment: LetterPayment },
): Promise<ComposedLetter> {
  const { storeId, kind, language, payment } = about
  const store = await findLetterStore(db, storeId, { kind, language })
  if (!store) throw notFound('Store')
  const letter = paymentLetter(kind, payment, { store, language })
  return withBodies(letter, { replyTo: store.reply_to_email, headers: {}, isClosed: store.status === 'closed' })
}

async function withBodies(
  letter: Blocks,
  { isClosed, ...head }: Pick<LetterMessage, 'replyTo' | 'headers'> & { isClosed: boolean },
): Promise<ComposedLetter> {
  const { subject, sender } = letter
  return { letter: { subject, ...(await renderLetterBodies(letter)), fromName: sender.name, ...head }, isClosed }
}

/** Renders the same content as HTML and as plain text. */
async function renderLetterBodies(letter: Blocks): Promise<{ html: string; text: string }> {
  return { html: await renderLetterHtml(letter), text: renderLetterText(letter) }
}
