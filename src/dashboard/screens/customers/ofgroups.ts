// The groups of a customer, on their page: those whose rules match, and those that they were added to by hand.
import { html } from 'hono/html'
import type { Customer } from '../../../commerce/customers/customer.ts'
import { customerGroup } from '../../../commerce/customers/groups/group.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { groupChoices } from './groupchoices.ts'

export const groupActions = {
  join: {
    route: endpoint('POST /customer-groups/{id}/members'),
    idFrom: { id: 'group_id' },
    body: ({ params }) => ({ customer_ids: [params.id] }),
    done: 'saved',
  },
  leave: {
    route: endpoint('DELETE /customer-groups/{id}/members/{customer_id}'),
    idFrom: { id: 'group_id', customer_id: 'id' },
    done: 'group_removed',
  },
} satisfies Record<string, ScreenAction>

export async function groupsPanel(context: PageContext, { id, group_ids }: Customer): Promise<Html | ''> {
  const { db, store, t, base, role } = context
  const query = { page: 1, per_page: 100, sort: 'name', order: 'asc', customer_id: id } as const
  const [{ data }, all] = await Promise.all([entityPage(db, customerGroup, store, query), groupChoices(context)])
  if (all.length === 0) return ''
  const mayWrite = mayUse(role, 'write:customers')
  const rows = data.map(({ id: group_id, name }) => {
    const isAdded = group_ids.includes(group_id)
    const leave = { act: 'leave', fixed: { group_id }, text: 'remove', kind: 'link', about: name } as const
    const way =
      isAdded && mayWrite ? button(context, leave) : mark(t(isAdded ? 'group_by_hand' : 'group_by_rules'), 'plain')
    return html`<li><a class="main" href="${base}/customer-groups/${group_id}">${name}</a> ${way}</li>`
  })
  const list = rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="hint">${t('group_in_none')}</p>`
  const open = all.filter(([group]) => !group_ids.includes(group))
  const add =
    mayWrite && open.length > 0
      ? await form(context, {
          act: 'join',
          action: groupActions.join,
          button: 'group_add',
          isQuiet: true,
          isLoose: true,
          more: choiceOf(context, open),
        })
      : ''
  return panel(t('customer_groups'), html`${list}${add}`)
}

function choiceOf({ t }: PageContext, choices: Awaited<ReturnType<typeof groupChoices>>): Html {
  const options = choices.map(([id, name]) => html`<option${attributes({ value: id })}>${name}</option>`)
  return html`<p class="field"><label for="join-group">${t('customer_group')}</label>
<select id="join-group" name="group_id">${options}</select></p>`
}
