// The list of customer groups, and the screen of a new one.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { list } from '../../framework/list.ts'
import { placeBelow } from '../../framework/placement.ts'
import { record } from '../../framework/record.ts'
import { createGroup, matchCount, rulesText } from './groupform.ts'

// prettier-ignore
export const customerGroups = list({
  path: '/customer-groups', section: 'customers', nav: {}, scope: 'read:customers', title: 'customer_groups',
  resource: customerGroup,
  columns: [
    { title: 'name', sort: 'name', csv: ({ name }) => name,
      cell: ({ id, name, description }, { base }) =>
        html`<a class="main" href="${base}/customer-groups/${id}">${name}</a>
${description && html`<small class="hint">${description.slice(0, 120)}</small>`}` },
    { title: 'group_rules', isWide: true, cell: (group, context) => rulesText(context, group) },
    { title: 'customers', cell: ({ id }, { base, t }) =>
      html`<a class="main" href="${base}/customers?group=${id}">${t('group_view')}</a>`, csv: () => null },
  ],
  filters: [],
  empty: { title: 'groups_none', text: 'groups_none_text',
    first: { path: '/customer-groups/new', button: 'group_new', scope: 'write:customers' } },
  buttons: ({ t, base, role }) =>
    mayUse(role, 'write:customers')
      ? html`<a class="button" href="${base}/customer-groups/new">${t('group_new')}</a>` : '',
})

// prettier-ignore
export const newCustomerGroup = record({
  path: '/customer-groups/new', ...placeBelow(customerGroups), scope: 'write:customers', title: 'group_new',
  actions: { create: createGroup },
  main: [{ title: 'customer_group', id: 'group', form: {
    act: 'create', button: 'group_create', values: () => ({ match: 'all' }), enterButton: ['', ''],
    more: (context) => matchCount(context),
  } }],
})
