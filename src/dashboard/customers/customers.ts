// The list of customers.
import { html } from 'hono/html'
import { customer } from '../../customers/customer.ts'
import { list } from '../list.ts'

// prettier-ignore
export const customers = list({
  path: '/customers', section: 'customers', scope: 'read:customers', title: 'customers', resource: customer,
  columns: [
    { title: 'name', sort: 'name', plain: ({ name }) => name,
      cell: ({ name, display_contact }) =>
        html`<strong>${name}</strong><span class="narrow hint">${display_contact}</span>` },
    { title: 'email', isWide: true, cell: ({ email }) => email ?? '–', plain: ({ email }) => email },
    { title: 'phone', isWide: true, cell: ({ phone }) => phone ?? '–', plain: ({ phone }) => phone },
    { title: 'last_order_at', sort: 'last_order_at', isWide: true,
      plain: ({ last_order_at }) => last_order_at?.toISOString() ?? null,
      cell: ({ last_order_at }, { day }) => (last_order_at ? day(last_order_at) : '–') },
    { title: 'orders_count', sort: 'orders_count', isNumber: true, plain: ({ orders_count }) => orders_count,
      cell: ({ id, orders_count }, { base }) =>
        orders_count === 0 ? '0' : html`<a class="main" href="${base}/orders?customer_id=${id}">${orders_count}</a>` },
    { title: 'total_spent', sort: 'total_spent', isNumber: true, plain: ({ total_spent }) => total_spent,
      cell: ({ total_spent }, { price }) => price(total_spent) },
  ],
  filters: [
    { name: 'has_orders' },
    { name: 'orders_count', range: ['orders_count[gte]', 'orders_count[lte]'], as: 'number' },
    { name: 'total_spent', range: ['total_spent[gte]', 'total_spent[lte]'], as: 'amount' },
    { name: 'last_order_at', range: ['last_order_at[gte]', 'last_order_at[lte]'], as: 'moment' },
  ],
  empty: { title: 'customers_none', text: 'customers_none_text' },
})
