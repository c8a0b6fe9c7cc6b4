// The email with what was bought, and the notice to the merchant that license keys are missing.
import { sql } from '../../kit/database/sql.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'
import type { ComposeLetter, LetterCall } from '../../tenancy/extensions/extension.ts'
import { chooseTranslation } from '../../tenancy/stores/language.ts'
import { readOrderGrants, type NamedGrant } from './order.ts'

/** More are on the page of the order. */
const maxLinks = 20

const granted: ComposeLetter = async (call) => {
  const { db, store, language, values, text, links } = call
  const orderId = String(values.order_id)
  if (!isUuid(orderId)) return { unwanted: 'There is no such order' }
  const grants = await readOrderGrants(db, store.id, orderId, chooseTranslation(store, language))
  const own = grants.filter(({ status }) => status === 'active')
  if (own.length === 0) return { unwanted: 'Nothing is left to download' }
  const row = await db.one<{ order_number: number }>(sql`
    select order_number::int
    from orders
    where store_id = ${store.id}
      and id = ${orderId}`)
  const about = { number: row!.order_number, store: store.name }
  const files = own.filter(({ file_id }) => file_id !== null)
  return {
    subject: text('downloads_mail_subject', about),
    parts: [
      { kind: 'text', text: text(files.length > 0 ? 'downloads_mail_text' : 'downloads_mail_thanks', about) },
      ...files.slice(0, maxLinks).map((one) => toLink(call, one)),
      ...listKeys(call, own),
      { kind: 'button', text: text('downloads_view_all'), path: `/downloads/order/${links.sign(orderId)}` },
      { kind: 'soft', text: text('downloads_mail_keep') },
    ],
  }
}

function toLink({ links }: LetterCall, { id, name, item_name }: NamedGrant) {
  const label = name === item_name || item_name === '' ? (name ?? '') : `${item_name}: ${name}`
  return { kind: 'link' as const, text: label, path: `/downloads/${links.sign(toUuid('dlg', id)!)}` }
}

function listKeys({ text }: LetterCall, grants: readonly NamedGrant[]) {
  const withKeys = grants.filter(({ file_id }) => file_id === null)
  if (withKeys.length === 0) return []
  const isWaiting = withKeys.some(({ missing_keys }) => missing_keys > 0)
  const facts = withKeys
    .filter(({ keys }) => keys.length > 0)
    .map(({ item_name, keys }) => ({ name: item_name, value: keys.slice(0, maxLinks).join('\n') }))
  return [
    ...(facts.length > 0 ? [{ kind: 'soft' as const, text: text('downloads_keys') }] : []),
    ...(facts.length > 0 ? [{ kind: 'facts' as const, facts }] : []),
    ...(isWaiting ? [{ kind: 'text' as const, text: text('downloads_keys_follow') }] : []),
  ]
}

const keysMissing: ComposeLetter = async ({ db, store, values, text }) => {
  const row = await db.one<{ missing: number; name: string | null }>(sql`
    select sum(missing_keys)::int as missing, (
      select name
      from products
      where store_id = ${store.id}
        and id = ${String(values.product_id)}) as name
    from downloads_grants
    where store_id = ${store.id}
      and product_id = ${String(values.product_id)}
      and missing_keys > 0`)
  if (!row?.missing || !row.name) return { unwanted: 'No license keys are missing' }
  const about = { product: row.name, count: row.missing }
  return {
    subject: text('downloads_missing_subject', about),
    parts: [
      { kind: 'text', text: text('downloads_missing_text', about) },
      { kind: 'soft', text: text('downloads_missing_how') },
    ],
  }
}

export const letters = { granted, keys_missing: keysMissing }
