// Merges another customer into this one: likely duplicates, a search, and what both records have.
import { html } from 'hono/html'
import { customer, type Customer } from '../../../commerce/customers/customer.ts'
import { findDuplicates } from '../../../commerce/customers/merges/duplicates.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { sql } from '../../../kit/database/sql.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { endpoint } from '../../framework/api.ts'
import { panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { MessageKey } from '../../framework/messages.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'

const customerPath = '/customers/{id}'
const scope = 'write:customers'

const merge: ScreenAction = {
  route: endpoint('POST /customers/{id}/merge'),
  inputs: [{ name: 'customer_id', label: 'merge_other', picks: 'customers', hint: 'merge_hint' }],
  confirm: { title: 'merge_ask', text: 'merge_text', button: 'merge' },
  done: 'merged',
  to: ({ id }) => `/customers/${id}`,
}

type Merging = Customer & { other: Customer | undefined }

export const mergeScreen = record({
  path: `${customerPath}/merge`,
  scope,
  title: 'merge_customers',
  section: 'customers',
  within: { path: customerPath, title: 'customer' },
  resource: customer,
  more: withOther,
  actions: { merge },
  name: ({ name }, { t }) => t('merge_into', { name }),
  main: [
    comparison,
    {
      isNarrow: true,
      form: { act: 'merge', button: 'merge', values: ({ other }) => ({ customer_id: other?.id ?? '' }) },
    },
  ],
})

/** The customer of the link, if any. */
async function withOther({ db, store, here }: PageContext, one: Customer): Promise<Merging> {
  const id = toUuid('cus', new URL(here, 'http://here').searchParams.get('with') ?? '')
  if (!id) return { ...one, other: undefined }
  const query = { page: 1, per_page: 1, sort: 'name', order: 'asc' } as const
  const { data } = await entityPage(db, customer, store, query, sql`customers.id = ${id}::uuid`)
  return { ...one, other: data[0] }
}

/** What stays is on the left. */
function comparison({ t, price }: PageContext, { other, ...kept }: Merging): Html | '' {
  if (!other || other.id === kept.id) return ''
  const rows: readonly (readonly [MessageKey, (one: Customer) => string])[] = [
    ['name', ({ name }) => name],
    ['email', ({ email }) => email ?? '–'],
    ['phone', ({ phone }) => phone ?? '–'],
    ['orders_count', ({ orders_count }) => String(orders_count)],
    ['total_spent', ({ total_spent }) => price(total_spent)],
    ['tags', ({ tags }) => tags.join(', ') || '–'],
    ['customer_addresses', ({ addresses }) => String(addresses.length)],
  ]
  return panel(
    t('merge_compare'),
    html`<table class="plain"><thead><tr><td></td><th scope="col">${t('merge_stays')}</th>
<th scope="col">${t('merge_goes')}</th></tr></thead><tbody>${rows.map(
      ([label, cell]) => html`<tr><th scope="row">${t(label)}</th><td>${cell(kept)}</td><td>${cell(other)}</td></tr>`,
    )}</tbody></table>`,
  )
}

/** Customers who look like the same person, each with a link that compares them. */
export async function duplicatesPanel(context: PageContext, one: Customer): Promise<Html | ''> {
  const { db, store, t, base, role } = context
  if (!mayUse(role, scope)) return ''
  const others = await findDuplicates(db, store, one)
  if (others.length === 0) return ''
  const rows = others.map(
    ({ id, name, contact }) => html`<li><a class="main" href="${base}/customers/${id}">${name}</a>
<span class="hint">${contact === name ? '' : contact}</span>
<a href="${base}/customers/${one.id}/merge?with=${id}">${t('merge_compare')}</a></li>`,
  )
  return panel(t('duplicates'), html`<ul class="rows">${rows}</ul>`)
}
