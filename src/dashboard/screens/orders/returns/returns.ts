// The list of returns.
import { html } from 'hono/html'
import { orderReturn, type Return } from '../../../../commerce/returns/return.ts'
import { sql } from '../../../../kit/database/sql.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { list } from '../../../framework/list.ts'
import { statusMark } from '../../../framework/statuses.ts'
import type { PageContext } from '../../../framework/screen.ts'

type ListedReturn = Return & { customer_name: string | null }

async function withCustomers({ db, store }: PageContext, records: Return[]): Promise<ListedReturn[]> {
  const ids = [...new Set(records.map(({ order_id }) => toUuid('ord', order_id)!))]
  const rows = await db.rows<{ id: string; customer_name: string | null }>(sql`
    select id, customer_name
    from orders
    where store_id = ${store.id}
      and id = any(${ids}::uuid[])`)
  const nameById = new Map(rows.map(({ id, customer_name }) => [id, customer_name]))
  return records.map((one) => ({ ...one, customer_name: nameById.get(toUuid('ord', one.order_id)!) ?? null }))
}

const countReturnUnits = ({ items }: Return) => items.reduce((sum, { quantity }) => sum + quantity, 0)

// prettier-ignore
export const returns = list<typeof orderReturn.fields, ListedReturn>({
  path: '/returns', section: 'orders', nav: {}, scope: 'read:orders', title: 'returns', resource: orderReturn,
  more: withCustomers,
  columns: [
    { title: 'return_of_order', csv: ({ order_number }) => order_number,
      cell: ({ id, order_number, number, customer_name }, { base, t }) => html`
<a class="main whole" href="${base}/returns/${id}">#${order_number} · ${t('return_short', { number })}</a>
<small>${customer_name ?? ''}</small>` },
    { title: 'created_at', sort: 'created_at', isWide: true, csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at: at }, { formatShortTime: format }) =>
        html`<time datetime="${at.toISOString()}">${format(at)}</time>` },
    { title: 'status', cell: ({ status }, { t }) => statusMark(t, 'return', status), csv: ({ status }) => status },
    { title: 'return_why', isWide: true, csv: ({ items }) => items.map(({ reason }) => reason).join(', '),
      cell: ({ items }, { t }) =>
        [...new Set(items.map(({ reason }) => t(`return_reason_${reason}`)))].slice(0, 2).join(', ') },
    { title: 'return_units', isNumber: true, cell: (row) => String(countReturnUnits(row)), csv: countReturnUnits },
  ],
  filters: [{ name: 'status', words: 'return_status' }],
  empty: { title: 'returns_none', text: 'returns_none_text' },
})
