// One customer group: its rules, its customers, and the discounts that are limited to it.
import { html } from 'hono/html'
import { customer } from '../../../commerce/customers/customer.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { pageLinks } from '../../framework/pagination.ts'
import { panel } from '../../framework/parts.ts'
import { placeBelow } from '../../framework/placement.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { historyLink } from '../audit/history.ts'
import { matchCount, saveGroup } from './groupform.ts'
import { customerGroups } from './groups.ts'

const addMembers: ScreenAction = {
  route: endpoint('POST /customer-groups/{id}/members'),
  inputs: [{ name: 'customer_ids', label: 'customers', picks: 'customers' }],
  fieldOf: (name) => name.replace(/\.\d+$/, ''),
  countOf: ({ count }) => count,
  done: 'group_added_count',
}

// prettier-ignore
export const customerGroupScreen = record({
  path: '/customer-groups/{id}', ...placeBelow(customerGroups), resource: customerGroup,
  actions: {
    save: saveGroup,
    put: addMembers,
    out: { route: endpoint('DELETE /customer-groups/{id}/members/{customer_id}'), done: 'group_removed' },
    delete: {
      route: endpoint('DELETE /customer-groups/{id}'), done: 'group_deleted', to: () => '/customer-groups',
      confirm: { title: 'group_delete_ask', text: 'group_delete_text', button: 'delete' },
    },
  },
  name: ({ name }) => name,
  buttons: [historyLink, { to: ({ id }) => `/customers?group=${id}`, text: 'group_view' }],
  main: [{ title: 'customer_group', id: 'group',
    form: { act: 'save', edits: true, more: matchCount, enterButton: ['', ''] } }],
  side: [
    membersPanel, discountsPanel,
    { title: 'more_actions', scope: 'write:customers',
      buttons: [{ act: 'delete', text: 'delete', kind: 'quiet danger', label: ({ name }) => name }] },
  ],
})

const perPage = 25

/** Lists customers added by hand. Those whom the rules match are in the list of customers. */
async function membersPanel(context: PageContext): Promise<Html> {
  const { db, store, ids, t, base, params, query, role } = context
  const mayWrite = mayUse(role, 'write:customers')
  const page = Math.max(1, Math.trunc(Number(query.page)) || 1)
  const sortedQuery = { page, per_page: perPage, sort: 'name', order: 'asc', group: params.id } as const
  const isAdded = sql`(customers.group_ids <> '{}' and customers.group_ids @> array[${ids.id}::uuid])`
  const { data, pagination } = await entityPage(db, customer, store, sortedQuery, isAdded)
  const rows = data.map(({ id, name, display_contact }) => {
    const out = { act: 'out', fixed: { customer_id: id }, text: 'remove', kind: 'link', about: name } as const
    return html`<li><span><a class="main" href="${base}/customers/${id}">${name}</a>
${display_contact === name ? '' : html`<small class="hint">${display_contact}</small>`}</span>
${mayWrite ? button(context, out) : ''}</li>`
  })
  const list =
    data.length === 0
      ? html`<p class="hint">${t('group_added_none')}</p>`
      : html`<ul class="rows">${rows}</ul>
<div class="under"><p class="hint">${t('customers_count', { count: pagination.total })}</p>
${pageLinks(context, pagination)}</div>`
  const add = mayWrite && (await form(context, { act: 'put', action: addMembers, button: 'add', isQuiet: true }))
  return panel(t('group_added'), html`${list}${add || ''}`)
}

const maxShown = 25

async function discountsPanel({ db, store, ids, t, base, role }: PageContext): Promise<Html | ''> {
  if (!mayUse(role, 'read:discounts')) return ''
  const rows = await db.rows<{ id: string; code: string }>(sql`
    select id, code
    from discounts
    where store_id = ${store.id}
      and customer_group_ids @> array[${ids.id}::uuid]
    order by code
    limit ${maxShown}`)
  if (rows.length === 0) return ''
  const links = rows.map(({ id, code }) => {
    return html`<li><a class="main" href="${base}/discounts/${publicId('disc', id)}">${code}</a></li>`
  })
  return panel(t('discounts'), html`<ul class="rows">${links}</ul>`)
}
