// The list of orders.
import { html } from 'hono/html'
import { customer } from '../../../commerce/customers/customer.ts'
import { category } from '../../../commerce/catalog/category.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { AnyResource } from '../../../kit/declare/resource.ts'
import { toUuid, type Prefix } from '../../../kit/values/ids.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { maxLabelled } from '../../../commerce/orders/labels.ts'
import { statuses } from '../../../commerce/orders/states.ts'
import { typedFor } from '../../framework/filters.ts'
import { endpoint } from '../../framework/api.ts'
import { list } from '../../framework/list.ts'
import { statusMark } from '../../framework/statuses.ts'
import { mark, paymentMark, fulfillmentTones, tones } from '../../framework/parts.ts'
import type { Choices, PageContext } from '../../framework/screen.ts'
import { bulkActions, changeStatus, tagInput } from './bulk/actions.ts'
import { countries } from '../../framework/choices.ts'

/** Names the customer, product or category that a link filters by. */
const nameLinkedRecord =
  ({ table }: AnyResource, prefix: Prefix, filter: string) =>
  async ({ db, store, query: { [filter]: publicId = '' } }: PageContext): Promise<Choices> => {
    const id = toUuid(prefix, publicId)
    if (!id) return []
    const rows = await db.rows<{ name: string }>(sql`
      select name
      from ${raw(table)}
      where store_id = ${store.id}
        and id = ${id}`)
    return rows.map(({ name }) => [publicId, name])
  }

const maxFound = 8

/** The chosen customer, and those whose name, email or phone matches the search. */
async function customersNamed(context: PageContext): Promise<Choices> {
  const search = typedFor(context, 'customer_id')
  const current = await nameLinkedRecord(customer, 'cus', 'customer_id')(context)
  if (search === '') return current
  const query = { page: 1, per_page: maxFound, sort: 'name', order: 'asc', search } as const
  const { data } = await entityPage(context.db, customer, context.store, query)
  const matches = data
    .filter(({ id }) => id !== current[0]?.[0])
    .map(({ id, name, email, phone }) => [id, [name, email ?? phone].filter(Boolean).join(' · ')] as const)
  return [...current, ...matches]
}

// prettier-ignore
export const orders = list({
  path: '/orders', section: 'orders', scope: 'read:orders', title: 'orders', resource: order,
  exports: endpoint('GET /orders'),
  columns: [
    { title: 'order_number', sort: 'order_number',
      cell: (row, { base, t }) => html`
<a class="main whole" href="${base}/orders/${row.id}">#${row.order_number}</a>
<span class="narrow hint">${row.customer_name ?? ''}</span>
<span class="narrow">${paymentMark(t, row)} ${statusMark(t, 'fulfillment', row.fulfillment_status)}</span>` },
    { title: 'created_at', sort: 'created_at', isWide: true,
      cell: ({ created_at: at }, { formatShortTime: format }) =>
        html`<time datetime="${at.toISOString()}">${format(at)}</time>` },
    { title: 'customer_name', sort: 'customer_name', isWide: true, cell: ({ customer_name }) => customer_name ?? '–' },
    { title: 'status', isWide: true, cell: ({ status }, { t }) => mark(t(`status_${status}`), tones[status]) },
    { title: 'payment_status', isWide: true,
      cell: (order, { t }) => paymentMark(t, order) },
    { title: 'fulfillment_status', sort: 'fulfillment_status', isWide: true,
      cell: ({ fulfillment_status: status }, { t }) =>
        mark(t(`fulfillment_status_${status}`), fulfillmentTones[status]) },
    { title: 'tags', isWide: true, isSpare: true,
      cell: ({ tags }) => tags.slice(0, 3).join(', ') + (tags.length > 3 ? ' …' : '') },
    { title: 'item_count', isWide: true, isSpare: true, isNumber: true, cell: ({ item_count }) => String(item_count) },
    { title: 'total', sort: 'total', isNumber: true, cell: ({ total }, { price }) => price(total) },
  ],
  filters: [
    { name: 'status', several: statuses },
    { name: 'payment_status' },
    { name: 'fulfillment_status' },
    { name: 'needs_fulfillment' },
    { name: 'needs_payment' },
    { name: 'tag' },
    { name: 'is_archived' },
    { name: 'date', range: ['date_from', 'date_to'], as: 'day' },
    { name: 'total', range: ['total[gte]', 'total[lte]'], as: 'amount' },
    { name: 'updated_at', range: ['updated_at[gte]', 'updated_at[lte]'], as: 'moment' },
    { name: 'country_code', label: 'country', options: countries },
    { name: 'province' },
    { name: 'city' },
    { name: 'country', isChip: true },
    { name: 'customer_id', label: 'customer_name', isFound: true, options: customersNamed },
    { name: 'discount_code' },
    { name: 'payment_method', words: 'method' },
    { name: 'channel' },
    { name: 'agent' },
    { name: 'product_id', label: 'report_product', isChip: true,
      options: nameLinkedRecord(product, 'prod', 'product_id') },
    { name: 'category_id', label: 'report_category', isChip: true,
      options: nameLinkedRecord(category, 'cat', 'category_id') },
  ],
  unfiltered: { is_archived: false },
  empty: { title: 'orders_none', text: 'orders_none_text' },
  views: 'orders',
  buttons: ({ t, base, role }) =>
    mayUse(role, 'write:orders') ? html`<a class="button" href="${base}/orders/new">${t('order_new')}</a>` : '',
  tabs: [
    { title: 'tab_unfulfilled', query: { needs_fulfillment: 'true', is_archived: 'false' } },
    { title: 'tab_unpaid', query: { needs_payment: 'true', is_archived: 'false' } },
    { title: 'tab_open', query: { status: 'pending,confirmed,in_progress', is_archived: 'false' } },
  ],
  // Rows ticked on other pages are part of the form.
  limits: { fields: maxLabelled + 100, bytes: 64 * 1024 },
  bulk: {
    act: 'status', action: changeStatus, nameOf: ({ order_number }: Order) => `#${order_number}`,
    sentAs: ({ order_number }: Order) => String(order_number),
    selectsAll: true,
    more: tagInput,
    beside: {
      tag: { action: bulkActions.tag, button: 'tag_add' },
      untag: { action: bulkActions.untag, button: 'tag_remove' },
      archive: { action: bulkActions.archive, button: 'archive' },
      unarchive: { action: bulkActions.unarchive, button: 'unarchive' },
      capture: { action: bulkActions.capture, button: 'capture', isMain: true },
    },
    links: [
      { path: '/orders/fulfill', what: 'fulfill', button: 'bulk_fulfil', isMain: true },
      { path: '/orders/print', what: 'picklist', button: 'print_picklist' },
      { path: '/orders/print', what: 'slip', button: 'print_slip' },
      { path: '/orders/print', what: 'invoice', button: 'print_invoice' },
    ],
  },
})
