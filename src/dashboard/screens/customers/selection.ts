// The customers that a person has selected in the list: ticked rows, or all that match its filter.
import { customer } from '../../../commerce/customers/customer.ts'
import { sql } from '../../../kit/database/sql.ts'
import { columnsUpTo } from '../../../kit/declare/page.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { field, fieldsNamed } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import { queryOf } from '../../framework/filters.ts'
import type { PageContext, ScreenAction } from '../../framework/screen.ts'
import { groupChoices } from './groupchoices.ts'

/** The most that one call of the API takes. */
export const maxSelected = 500

export const addToGroup: ScreenAction = {
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

/** Public ids. More than one call takes are a fault of the selection. */
async function selectedCustomers(context: PageContext): Promise<string[]> {
  const { form } = context
  const ids =
    field(form, 'all') === '' ? [...new Set(fieldsNamed(form, 'ticked'))] : await allOf(context, field(form, 'filter'))
  if (ids.length > maxSelected) {
    throw invalid(fault('ticked', generalFaults.too_many_elements, { limit: maxSelected }))
  }
  return ids
}

async function allOf(context: PageContext, filter: string): Promise<string[]> {
  const { db, store } = context
  const { query } = queryOf({ ...context, here: `/?${filter}` }, customer, [])
  const rows = await db.rows<{ id: string }>(columnsUpTo(maxSelected + 1, sql`customers.id`, customer, store, query))
  return rows.map(({ id }) => publicId('cus', id))
}
