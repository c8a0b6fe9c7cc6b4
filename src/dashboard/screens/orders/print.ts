// Packing slips and invoices of one order or several, each on a page of its own when they are printed.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { uuidOf } from '../../../kit/values/ids.ts'
import type { Language } from '../../../kit/values/language.ts'
import { priceIn } from '../../../kit/values/prices.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Screen, PageContext } from '../../framework/screen.ts'
import { translatorFor } from '../../framework/messages.ts'
import { invoice } from './invoice.ts'
import type { Paper, Seller } from './paper.ts'
import { packingSlip } from './slip.ts'

const maximumPrinted = 100
const kinds = { slip: packingSlip, invoice } as const
type Kind = keyof typeof kinds

export const printScreen: Screen = {
  path: '/orders/print',
  scope: 'read:orders',
  title: 'print',
  section: 'orders',
  within: { path: '/orders', title: 'orders' },
  isUnlisted: true,
  async show(context) {
    const { t, here, query } = context
    const kind: Kind = query.what === 'invoice' ? 'invoice' : 'slip'
    const [orders, seller] = await Promise.all([ordersOf(context), sellerOf(context)])
    const papers = orders.map((one) => {
      const paper = { ...paperOf(context, one.locale), order: one, seller }
      return html`<article class="paper" lang="${paper.language}">${kinds[kind](paper)}</article>`
    })
    const links = (Object.keys(kinds) as Kind[]).map(
      (what) =>
        html`<li><a href="${addressWith(here, { what })}"${attributes({
          'aria-current': what === kind && 'page',
        })}>${t(`print_${what}`)}</a></li>`,
    )
    const none = html`<div class="empty"><h2>${t('print_none')}</h2><p>${t('print_none_text')}</p></div>`
    return {
      title: t(kind === 'slip' ? 'print_slips' : 'print_invoices', { count: orders.length }),
      buttons: html`<print-page label="${t('print')}"></print-page>`,
      content: html`<nav class="pages" aria-label="${t('print')}"><ul>${links}</ul></nav>
${papers.length === 0 ? none : papers}`,
    }
  },
}

/** Those that the address names, in their order. */
async function ordersOf({ db, store, here }: PageContext): Promise<Order[]> {
  const named = new URL(here, 'http://here').searchParams.getAll('ticked').slice(0, maximumPrinted)
  const ids = named.map((id) => uuidOf('ord', id)).filter((id) => id !== null)
  if (ids.length === 0) return []
  const query = { page: 1, per_page: maximumPrinted, sort: 'order_number', order: 'asc' } as const
  return (await entityPage(db, order, store, query, sql`orders.id = any(${ids}::uuid[])`)).data
}

async function sellerOf({ db, store }: PageContext): Promise<Seller> {
  const seller = await db.one<Seller>(sql`
    select name, legal_name, contact_address, contact_email, contact_phone, tax_id
    from stores
    where id = ${store.id}`)
  return seller!
}

/** In the language of the order, where the dashboard speaks it. */
function paperOf({ language, store }: PageContext, locale: Language | null): Omit<Paper, 'order' | 'seller'> {
  const spoken = locale === 'en' || locale === 'es' ? locale : language
  const format = new Intl.DateTimeFormat(spoken, { dateStyle: 'long', timeZone: store.timezone })
  return {
    language: spoken,
    t: translatorFor(spoken),
    price: priceIn(spoken, store),
    formatDate: (moment) => format.format(new Date(moment)),
  }
}
