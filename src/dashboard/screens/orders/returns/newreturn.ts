// The screen that creates a return of an order.
import { maxItems } from '../../../../commerce/orders/item.ts'
import { order } from '../../../../commerce/orders/order.ts'
import type { Return } from '../../../../commerce/returns/return.ts'
import { readReturnable } from '../../../../commerce/returns/returnable.ts'
import { undoneStatuses } from '../../../../commerce/orders/states.ts'
import { html } from 'hono/html'
import { findRecord } from '../../../../kit/declare/page.ts'
import { uuidOf } from '../../../../kit/values/ids.ts'
import { endpoint } from '../../../framework/api.ts'
import { form } from '../../../framework/form.ts'
import { below } from '../../../framework/placement.ts'
import type { PageContext, Screen, ScreenAction } from '../../../framework/screen.ts'
import { titleOf } from '../address.ts'
import { orders } from '../orders.ts'
import { lineFieldOf, lineInputs, returnedLines } from './lines.ts'

const create: ScreenAction = {
  route: endpoint('POST /orders/{id}/returns'),
  inputs: [
    { name: 'instructions', label: 'return_instructions', as: 'area', rows: 3, hint: 'return_instructions_hint' },
  ],
  body: ({ form: input }: PageContext) => ({ status: 'approved', items: returnedLines(input) }),
  fieldOf: lineFieldOf,
  done: 'return_created',
  to: ({ id }: Return) => `/returns/${id}`,
}

export const newReturnScreen: Screen = {
  path: '/orders/{id}/return',
  ...below(orders),
  within: { path: '/orders/{id}', title: 'order' },
  scope: 'write:orders',
  title: 'return_new',
  params: { id: order },
  isUnlisted: true,
  limits: { fields: maxItems * 4 + 20, bytes: 512 * 1024 },
  actions: { create },
  async show(context) {
    const { db, store, ids, t } = context
    const [{ entity: record }, returnable] = await Promise.all([
      findRecord(db, order, store.id, ids.id!),
      readReturnable(db, store, ids.id!, db.clock.now()),
    ])
    const title = `${t('return_new')} #${record.order_number}`
    const left = new Map(returnable.items.map(({ id, quantity }) => [id, quantity]))
    const lines = record.items.flatMap((item) => {
      const max = left.get(uuidOf('item', item.id)!) ?? 0
      return max > 0 ? { id: item.id, title: titleOf(item), max } : []
    })
    if (lines.length === 0 || undoneStatuses.includes(record.status)) {
      return { title, content: html`<div class="panel"><p>${t('return_not_now')}</p></div>` }
    }
    const drawn = await form(context, {
      act: 'create',
      action: create,
      button: 'return_new',
      lead: html`<p class="hint">${t('return_new_text')}</p>${lineInputs(context, lines)}`,
    })
    return { title, content: html`<div class="panel">${drawn}</div>` }
  },
}
