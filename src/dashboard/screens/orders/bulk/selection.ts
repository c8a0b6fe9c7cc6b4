// The selected orders: ticked rows of the list, by number or ID, or all that match its filter.
import { order } from '../../../../commerce/orders/order.ts'
import { sql } from '../../../../kit/database/sql.ts'
import { columnsUpTo } from '../../../../kit/declare/page.ts'
import { ApiError, invalid } from '../../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../../kit/values/faults.ts'
import { publicId, toUuid } from '../../../../kit/values/ids.ts'
import { field, fieldsNamed } from '../../../../platform/pages/form.ts'
import { notice } from '../../../../platform/pages/parts.ts'
import { readFilterQuery } from '../../../framework/filters.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'

export type SelectedOrder = { id: string; order_number: number }

/** Sorted like the list, or by number. IDs are public. Rejects more than `max`. */
export async function selectedOrders(context: PageContext, max: number): Promise<SelectedOrder[]> {
  const { db, form, here } = context
  const { searchParams } = new URL(here, 'http://here')
  const isSent = field(form, 'act') !== ''
  const value = (name: string) => (isSent ? field(form, name) : (searchParams.get(name) ?? ''))
  const tickedNames = isSent ? fieldsNamed(form, 'ticked') : searchParams.getAll('ticked')
  const rows =
    value('all') === ''
      ? await ordersNamed(context, tickedNames.slice(0, max + 1))
      : await db.rows<SelectedOrder>(buildSelectionQuery(context, value('filter'), max + 1))
  if (rows.length > max) throw invalid(fault('ticked', generalFaults.too_many_elements, { limit: max }))
  return rows.map(({ id, order_number }) => ({ id: publicId('ord', id), order_number }))
}

/** The same for an action: rejects a ticked order that does not exist. */
export async function requireSelectedOrders(context: PageContext, max: number): Promise<SelectedOrder[]> {
  const orders = await selectedOrders(context, max)
  const tickedCount = field(context.form, 'all') === '' ? new Set(fieldsNamed(context.form, 'ticked')).size : 0
  if (orders.length < tickedCount) throw invalid(fault('ticked', generalFaults.does_not_exist))
  return orders
}

/** The same for a screen, which shows an error if the selection is too large. */
export async function readSelection(
  context: PageContext,
  max: number,
): Promise<{ orders: SelectedOrder[]; wrong: Html | '' }> {
  try {
    return { orders: await selectedOrders(context, max), wrong: '' }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error
    return { orders: [], wrong: notice('error', context.t('selection_too_large', { limit: max })) }
  }
}

/** Without a filter the list hides archived orders, and so does this. */
function buildSelectionQuery(context: PageContext, filter: string, limit: number) {
  const { query } = readFilterQuery({ ...context, here: `/?${filter}` }, order, [])
  const isFiltered = Object.keys(order.filters).some((name) => new URLSearchParams(filter).get(name))
  const whole = isFiltered ? query : { ...query, is_archived: false }
  return columnsUpTo(limit, sql`orders.id, orders.order_number`, order, context.store, whole)
}

function ordersNamed({ db, store }: PageContext, names: readonly string[]): Promise<SelectedOrder[]> {
  const ids = names.flatMap((name) => toUuid('ord', name) ?? [])
  const numbers = names.filter((name) => /^\d{1,15}$/.test(name))
  return db.rows<SelectedOrder>(sql`
    select id, order_number
    from orders
    where store_id = ${store.id}
      and (id = any(${ids}::uuid[]) or order_number = any(${numbers}::bigint[]))
    order by order_number`)
}
