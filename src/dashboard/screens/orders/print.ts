// Packing slips and invoices of one or more orders, each printed on its own page.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { uuidOf } from '../../../kit/values/ids.ts'
import type { Language } from '../../../kit/values/language.ts'
import { priceIn } from '../../../kit/values/prices.ts'
import { findCustomsFacts, type CustomsFacts } from '../../../commerce/catalog/customs.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { dashboardTranslator } from '../../framework/messages.ts'
import { invoice } from './invoice.ts'
import type { OrderDocument, Seller } from './document.ts'
import { selectionOf } from './bulk/selection.ts'
import { pickList } from './picklist.ts'
import { packingSlip } from './packingslip.ts'
import { emptyState } from '../../framework/parts.ts'
import { orders } from './orders.ts'
import { below } from '../../framework/placement.ts'

const maxOrders = 250
const documents = { slip: packingSlip, invoice } as const
type DocumentKind = keyof typeof documents
const kinds = ['picklist', ...(Object.keys(documents) as DocumentKind[])] as const

export const printScreen: Screen = {
  path: '/orders/print',
  ...below(orders),
  title: 'print',
  isUnlisted: true,
  async show(context) {
    const { t, here, query } = context
    const kind = kinds.find((one) => one === query.what) ?? 'slip'
    const { orders: selected, wrong } = await selectionOf(context, maxOrders)
    const ids = selected.map(({ id }) => uuidOf('ord', id)!)
    const papers =
      kind === 'picklist' && ids.length > 0
        ? [html`<article class="paper">${await pickList(context, ids)}</article>`]
        : kind === 'picklist'
          ? []
          : await papersOf(context, kind, ids)
    const links = kinds.map(
      (what) =>
        html`<li><a href="${addressWith(here, { what })}"${attributes({
          'aria-current': what === kind && 'page',
        })}>${t(`print_${what}`)}</a></li>`,
    )
    const none = emptyState(t, 'print_none', 'print_none_text')
    return {
      title: kind === 'picklist' ? t('print_picklist') : t(`print_${kind}s`, { count: ids.length }),
      buttons: html`<print-page label="${t('print')}"></print-page>`,
      content: html`${wrong}<nav class="pages" aria-label="${t('print')}"><ul>${links}</ul></nav>
${papers.length === 0 ? none : papers}`,
    }
  },
}

async function papersOf(context: PageContext, kind: DocumentKind, ids: readonly string[]): Promise<Html[]> {
  if (ids.length === 0) return []
  const { db, store } = context
  const query = { page: 1, per_page: maxOrders, sort: 'order_number', order: 'asc' } as const
  const [{ data }, seller] = await Promise.all([
    entityPage(db, order, store, query, sql`orders.id = any(${ids}::uuid[])`),
    sellerOf(context),
  ])
  const customs = kind === 'slip' ? await customsOf(context, data) : new Map<Order, (CustomsFacts | null)[]>()
  return data.map((one) => {
    const facts = customs.get(one) ?? []
    const paper = { ...documentFormat(context, one.locale), order: one, seller, customs: facts }
    return html`<article class="paper" lang="${paper.language}">${documents[kind](paper)}</article>`
  })
}

/** For the items of orders that go abroad, in one read. */
async function customsOf(
  { db, store }: PageContext,
  orders: readonly Order[],
): Promise<Map<Order, (CustomsFacts | null)[]>> {
  const abroad = orders.filter(({ country_code: country }) => country !== null && country !== store.country_code)
  if (abroad.length === 0) return new Map()
  const facts = await findCustomsFacts(
    db,
    store.id,
    abroad.flatMap(({ items }) => items),
  )
  let at = 0
  return new Map(abroad.map((one) => [one, facts.slice(at, (at += one.items.length))]))
}

async function sellerOf({ db, store }: PageContext): Promise<Seller> {
  const seller = await db.one<Seller>(sql`
    select name, legal_name, contact_address, contact_email, contact_phone, tax_id, (
      select coalesce(json_object_agg(code, own.name), '{}')
      from (
        select code, name from payment_methods where store_id = ${store.id} and name is not null
        union all
        select code, name from shipping_rates where store_id = ${store.id} and name is not null) as own) as names
    from stores
    where id = ${store.id}`)
  return seller!
}

/** Uses the order's language, or the person's if it has none. */
function documentFormat(
  { language, store }: PageContext,
  locale: Language | null,
): Omit<OrderDocument, 'order' | 'seller' | 'customs'> {
  const paperLanguage = locale ?? language
  const format = new Intl.DateTimeFormat(paperLanguage, { dateStyle: 'long', timeZone: store.timezone })
  return {
    language: paperLanguage,
    t: dashboardTranslator(paperLanguage),
    price: priceIn(paperLanguage, store),
    formatDate: (moment) => format.format(new Date(moment)),
  }
}
