// The list of customers, and the screen of a new one.
import { suggestCustomerTags } from '../tagsuggestions.ts'
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { customer, type Customer } from '../../../commerce/customers/customer.ts'
import { endpoint } from '../../framework/api.ts'
import { customFieldChanges, customFieldInputs } from '../../framework/customfields.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, FormInput, Html, PageContext } from '../../framework/screen.ts'
import { placeBelow } from '../../framework/placement.ts'
import { groupChoices } from './groupchoices.ts'
import { sql } from '../../../kit/database/sql.ts'
import { columnsUpTo } from '../../../kit/declare/page.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { field, fieldsNamed } from '../../../platform/pages/form.ts'
import { readFilterQuery } from '../../framework/filters.ts'

// The customers selected in the list: the ticked rows, or all that match its filter.

/** The maximum of one API call. */
const maxSelected = 500

const addToGroup: ScreenAction = {
  route: endpoint('POST /customer-groups/{id}/members'),
  inputs: [{ name: 'group_id', label: 'customer_group', options: groupChoices, schema: { type: 'string' } }],
  idFrom: { id: 'group_id' },
  isOfSelection: true,
  body: async (context) => {
    if (field(context.form, 'group_id') === '') throw invalid(fault('group_id', generalFaults.required))
    return { group_id: undefined, customer_ids: await selectedCustomers(context) }
  },
  countOf: ({ count }) => count,
  done: 'group_added_count',
}

/** Public IDs. Rejects a selection that is larger than one call accepts. */
async function selectedCustomers(context: PageContext): Promise<string[]> {
  const { form } = context
  const ids =
    field(form, 'all') === ''
      ? [...new Set(fieldsNamed(form, 'ticked'))]
      : await listMatchingIds(context, field(form, 'filter'))
  if (ids.length > maxSelected) {
    throw invalid(fault('ticked', generalFaults.too_many_elements, { limit: maxSelected }))
  }
  return ids
}

async function listMatchingIds(context: PageContext, filter: string): Promise<string[]> {
  const { db, store } = context
  const { query } = readFilterQuery({ ...context, here: `/?${filter}` }, customer, [])
  const rows = await db.rows<{ id: string }>(columnsUpTo(maxSelected + 1, sql`customers.id`, customer, store, query))
  return rows.map(({ id }) => publicId('cus', id))
}

export const customerInputs: FormInput[] = [
  { name: 'name' },
  { name: 'email', isHalf: true },
  { name: 'phone', isHalf: true },
  { name: 'tax_id', isHalf: true, label: 'tax_id' },
  { name: 'tags', as: 'lines', hint: 'tags_hint', suggests: suggestCustomerTags },
  { name: 'tax_exempt', hint: 'tax_exempt_hint' },
  { name: 'accepts_marketing', hint: 'accepts_marketing_hint' },
]

/** The custom fields of a customer, in a form of this action. */
export function customerFieldInputs(
  context: PageContext,
  act: string,
  action: ScreenAction,
  record: Customer | null,
): Promise<Html | ''> {
  return customFieldInputs(context, 'customer', { act, action, button: 'save' }, record)
}

const create: ScreenAction = {
  route: endpoint('POST /customers'),
  inputs: [...customerInputs, { name: 'notes', as: 'area', label: 'customer_notes_own' }],
  body: (context) => customFieldChanges(context, 'customer'),
  done: 'customer_created',
  to: ({ id }) => `/customers/${id}`,
}

// prettier-ignore
export const customers = list({
  path: '/customers', section: 'customers', scope: 'read:customers', title: 'customers', resource: customer,
  exports: endpoint('GET /customers'),
  columns: [
    { title: 'name', sort: 'name',
      cell: ({ id, name, display_contact }, { base }) =>
        html`<a class="main" href="${base}/customers/${id}">${name}</a>
<span class="narrow hint">${display_contact === name ? '' : display_contact}</span>` },
    { title: 'email', isWide: true, cell: ({ email }) => email ?? '–' },
    { title: 'phone', isWide: true, cell: ({ phone }) => phone ?? '–' },
    { title: 'accepts_marketing', isWide: true,
      cell: ({ accepts_marketing }, { t }) => (accepts_marketing ? mark(t('yes'), 'good') : '–') },
    { title: 'tags', isWide: true,
      cell: ({ tags }) => tags.slice(0, 3).join(', ') + (tags.length > 3 ? ' …' : '') },
    { title: 'last_order_at', sort: 'last_order_at', isWide: true,
      cell: ({ last_order_at }, { formatDate }) => (last_order_at ? formatDate(last_order_at) : '–') },
    { title: 'orders_count', sort: 'orders_count', isNumber: true,
      cell: ({ id, orders_count }, { base }) =>
        orders_count === 0 ? '0' : html`<a class="main" href="${base}/orders?customer_id=${id}">${orders_count}</a>` },
    { title: 'total_spent', sort: 'total_spent', isNumber: true,
      cell: ({ total_spent }, { price }) => price(total_spent) },
  ],
  filters: [
    { name: 'has_orders' },
    { name: 'accepts_marketing' },
    { name: 'tag' },
    { name: 'group', label: 'customer_group', options: groupChoices },
    { name: 'orders_count', range: ['orders_count[gte]', 'orders_count[lte]'], as: 'number' },
    { name: 'total_spent', range: ['total_spent[gte]', 'total_spent[lte]'], as: 'amount' },
    { name: 'last_order_at', range: ['last_order_at[gte]', 'last_order_at[lte]'], as: 'moment' },
    { name: 'custom_fields', custom: 'customer' },
  ],
  empty: { title: 'customers_none', text: 'customers_none_text' },
  // Rows ticked on other pages are part of the form.
  limits: { fields: maxSelected + 100, bytes: 64 * 1024 },
  bulk: { act: 'group', action: addToGroup, button: 'group_add', nameOf: ({ name }) => name, selectsAll: true },
  buttons: ({ t, base, role }) =>
    mayUse(role, 'write:customers')
      ? html`<a class="button" href="${base}/customers/new">${t('customer_new')}</a>` : '',
})

export const newCustomer = record({
  path: '/customers/new',
  ...placeBelow(customers),
  scope: 'write:customers',
  title: 'customer_new',
  actions: { create },
  main: [
    {
      isNarrow: true,
      form: {
        act: 'create',
        button: 'customer_create',
        more: (context) => customerFieldInputs(context, 'create', create, null),
      },
    },
  ],
})
