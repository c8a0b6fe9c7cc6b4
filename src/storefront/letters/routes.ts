import { notFoundResponse } from '../../kit/declare/errorresponse.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { resource } from '../../kit/declare/resource.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { choice, email, text } from '../../kit/declare/scalars.ts'
import { queryReader } from '../../kit/declare/shape.ts'
import { notFound } from '../../kit/values/errors.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { languages } from '../../kit/values/language.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { orderPath } from '../../commerce/orders/link.ts'
import { order as orders } from '../../commerce/orders/order.ts'
import { ownLanguage } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { isCheckoutKind, isDraftOrderKind, isPaymentKind } from '../../tenancy/emails/kinds.ts'
import { recoveryPaths } from './checkout.ts'
import {
  composeEnquiry,
  composeOrderLetter,
  composePayment,
  composeSignIn,
  composeSummary,
  type ComposedLetter,
} from './compose.ts'
import type { LetterOrder } from './facts.ts'
import { samplePayment } from './payment.ts'
import {
  sampleEnquiry,
  sampleOrder,
  sampleParcel,
  sampleRefund,
  sampleRefunds,
  sampleReturn,
  sampleSummary,
} from './sample.ts'
import {
  changeMailSetting,
  findMailSetting,
  requireMailKind,
  listMailSettings,
  mailSetting,
  mailSettingChanges,
} from './setting.ts'

const { get, patch } = buildRouteVerbs<Store, { vault: Vault }>('Mail')

const words = { kind: { description: 'Kind of email', example: 'order_confirmation' } }

const previewQuery = queryReader({
  language: choice(languages).describe("Language of the email. Defaults to the order's language, then the store's"),
  order: text({ max: 100 }).describe('ID of an order to show instead of a sample'),
})

// prettier-ignore
const preview = resource('mails', {
  subject:  text().describe('Subject line of the email'),
  from:     text().describe('Name of the sender'),
  reply_to: email().nullable().describe('Reply-to address of the email'),
  html:     text({ max: 1_000_000 }).describe('HTML version of the email'),
  text:     text({ max: 1_000_000 }).describe('Plain-text version of the email'),
}, {}, { noun: 'Mail preview' }).entity

export const routes = [
  get('/store/mails', {
    scope: 'read:store',
    returns: { type: 'array', items: mailSetting.entity },
    summary: 'List email templates',
    run: ({ db, store }) => listMailSettings(db, store),
  }),
  get('/store/mails/{kind}', {
    scope: 'read:store',
    words,
    refuses: [notFoundResponse],
    returns: mailSetting.entity,
    summary: 'Get an email template',
    run: ({ db, store, params }) => findMailSetting(db, store, readMailKind(params)),
  }),
  patch('/store/mails/{kind}', {
    scope: 'write:store',
    words,
    refuses: [notFoundResponse],
    body: mailSettingChanges,
    returns: mailSetting.entity,
    summary: 'Update an email template',
    run: ({ tx, store, params, body }) => changeMailSetting(tx, store, readMailKind(params), body),
  }),
  get('/store/mails/{kind}/preview', {
    scope: 'read:orders',
    words,
    refuses: [notFoundResponse],
    query: previewQuery,
    returns: preview,
    summary: 'Preview an email',
    async run({ db, store, params, query, vault }) {
      const kind = readMailKind(params)
      if (kind === 'contact_message') {
        const language = query.language ?? ownLanguage(store)
        return toLetterPreview(
          await composeEnquiry(db, { storeId: store.id, language, enquiry: sampleEnquiry(language) }),
        )
      }
      if (kind === 'team_summary') {
        const language = query.language ?? ownLanguage(store)
        return toLetterPreview(
          await composeSummary(db, { storeId: store.id, language, summary: sampleSummary(language) }),
        )
      }
      if (kind === 'account_sign_in') {
        const language = query.language ?? ownLanguage(store)
        const proof = { path: '/account', code: '123456' }
        return toLetterPreview(await composeSignIn(db, { storeId: store.id, language, proof }))
      }
      if (isPaymentKind(kind)) {
        const language = query.language ?? ownLanguage(store)
        const payment = samplePayment(store)
        return toLetterPreview(await composePayment(db, { storeId: store.id, kind, language, payment }))
      }
      const id = query.order === undefined ? null : toUuid('ord', query.order)
      if (query.order !== undefined && !id) throw notFound(orders.noun)
      const existing = id ? (await findRecord(db, orders, store.id, id)).entity : null
      const language = query.language ?? existing?.locale ?? ownLanguage(store)
      const order = existing ?? sampleOrder(store, language)
      const about = isDraftOrderKind(kind)
        ? toOpenDraftSample(order)
        : isCheckoutKind(kind)
          ? toUnpaidSample(order)
          : { order, path: orderPath(vault, store.id, order.id), unsubscribePath: null }
      const samples = { parcel: sampleParcel, refund: sampleRefund(language), returned: sampleReturn(language) }
      const refunds = existing ? null : sampleRefunds(order)
      return toLetterPreview(
        await composeOrderLetter(db, { storeId: store.id, kind, language, ...about, ...samples, refunds }),
      )
    },
  }),
]

function toLetterPreview({ letter: { subject, fromName, replyTo, html, text } }: ComposedLetter) {
  return json({ subject, from: fromName, reply_to: replyTo, html, text })
}

/** Shows the checkout without its order. */
function toUnpaidSample(order: LetterOrder) {
  return { order: { ...order, order_number: null }, ...recoveryPaths('sample') }
}

/** Shows the draft without its order. */
function toOpenDraftSample(order: LetterOrder) {
  const draft = { ...order, order_number: null, draft_number: 'D12', link_expires_at: null }
  return { order: draft, path: '/pay/sample', unsubscribePath: null }
}

/** Reads a path parameter that is not an ID. */
function readMailKind(params: Record<string, string>) {
  return requireMailKind(params.kind)
}
