// One proposal: its changes, conflicts since then, and the decision.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { roles } from '../../../identity/accounts/user.ts'
import { customRole, maxRoles } from '../../../identity/account/role.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { examineProposal } from '../../../developer/proposals/operations.ts'
import { proposal } from '../../../developer/proposals/proposal.ts'
import type { DryRunView as Rehearsed } from '../../../developer/dryruns/view.ts'
import { endpoint } from '../../framework/api.ts'
import { scopesOfRole } from '../../framework/call.ts'
import { form } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { messageOr } from '../../framework/messages.ts'
import { recordLink } from './links.ts'
import { proposalsPath, proposalTones, proposals } from './proposals.ts'
import { placeBelow } from '../../framework/placement.ts'

const approve: ScreenAction = {
  route: endpoint('POST /proposals/{id}/approve'),
  done: 'proposal_is_approved',
  conflict: 'proposal_decided',
}
const reject: ScreenAction = {
  route: endpoint('POST /proposals/{id}/refuse'),
  inputs: [{ name: 'reason', label: 'refuse_reason', as: 'area' }],
  done: 'proposal_is_refused',
  conflict: 'proposal_decided',
}

// prettier-ignore
export const proposalScreen = record({
  path: `${proposalsPath}/{id}`, ...placeBelow(proposals), title: 'proposal', resource: proposal, read: loadProposal,
  actions: { approve, refuse: reject },
  name: ({ request: { method, path } }) => `${method} ${path}`,
  main: [
    decision,
    { title: 'state', facts: [
      ['status', ({ status }, { t }) => mark(t(`proposal_${status}`), proposalTones[status])],
      'note',
      ['proposed_by', ({ proposed_by }) => formatActor(proposed_by)],
      'created_at',
      ['expires_at', ({ status, expires_at }, { formatTime }) => status === 'open' ? formatTime(expires_at) : null],
      ['would_answer', ({ answer: { status } }) => String(status)],
      ['decided_by', ({ decided_by }) => formatActor(decided_by)],
      'decided_at',
      ['refuse_reason', 'reason'],
    ] },
    { title: 'would_change', content: changes },
    consequences,
    { title: 'was_sent', content: (_, { request: { body } }) => jsonBlock(body) },
  ],
})

/** The proposal with what has changed since then. */
async function loadProposal(context: PageContext) {
  const { db, store, ids } = context
  const { proposal: one, ...examined } = await examineProposal(db, { store, scopes: scopesOfRole(context) }, ids.id!)
  return { ...one, ...examined, rehearsal: one.rehearsal as Rehearsed }
}

type ExaminedProposal = Awaited<ReturnType<typeof loadProposal>>

const formatActor = (actor: string | null) => actor && html`<code>${actor.split(':').at(-1)!}</code>`

async function decision(context: PageContext, { status, scope, since }: ExaminedProposal): Promise<Html | ''> {
  const { t, role, db, store } = context
  if (status !== 'open') return ''
  const query = { page: 1, per_page: maxRoles, sort: 'created_at', order: 'asc' } as const
  const { data: custom } = await entityPage(db, customRole, store, query)
  const who = [
    ...roles.filter((each) => mayUse(each, scope)).map((each) => t(`role_${each}`)),
    ...custom.filter(({ scopes }) => scopes.includes(scope)).map(({ name }) => name),
  ]
  const may = html`<p class="hint">${t('who_may_approve', { roles: who.join(', ') })}</p>`
  const stale = since.map(
    ({ resource, id, field }) => html`<li>${messageOr(t, `record_${resource}`, resource ?? '')}
${id ? recordLink(context, resource ?? '', id) : ''}: ${field}</li>`,
  )
  const warning = html`<p><strong>${t('proposal_outdated')}</strong></p><ul>${stale}</ul>`
  const approveForm = await form(context, { act: 'approve', action: approve, button: 'approve' })
  const refuseForm = await form(context, { act: 'refuse', action: reject, button: 'refuse', isQuiet: true })
  return panel(
    t('decide'),
    html`${since.length > 0 ? notice('warning', warning) : ''}${may}
${mayUse(role, scope) ? approveForm : ''}
<details class="more"><summary>${t('refuse')}</summary>${refuseForm}</details>`,
  )
}

function changes(context: PageContext, { rehearsal: { changes: all = [] } }: ExaminedProposal): Html {
  const { t } = context
  if (all.length === 0) return html`<p class="hint">${t('came_nothing')}</p>`
  const rows = all.map(({ resource, id, before, after, masked }) => {
    const how = before === null ? 'made' : after === null ? 'gone' : 'changed'
    const fields = Object.keys(after ?? before ?? {}).map((name) => {
      const [from, to] = [cellText(before?.[name]), cellText(after?.[name])]
      return html`<tr><th scope="row">${name}</th><td>${from}</td><td>${to}</td></tr>`
    })
    const maskNote = masked.length > 0 ? html`<p class="hint">${t('masked')}: ${masked.join(', ')}</p>` : ''
    const name = messageOr(t, `record_${resource}`, resource)
    return html`<h3>${t(`has_${how}`)} ${name} ${recordLink(context, resource, id)}</h3>
<table class="plain changes"><thead><tr><th scope="col">${t('field')}</th><th scope="col">${t('before')}</th>
<th scope="col">${t('after')}</th></tr></thead><tbody>${fields}</tbody></table>${maskNote}`
  })
  return html`${rows}`
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Effects other than changed records. */
function consequences(context: PageContext, { rehearsal }: ExaminedProposal): Html {
  const { t } = context
  const { stock_movements = [], events = [], deliveries = [], mails = [] } = rehearsal
  const lines = [
    ...stock_movements.map(
      ({ product_id, quantity, reason }) => html`<li>${recordLink(context, 'product', product_id)}
${quantity > 0 ? '+' : ''}${quantity} <span class="hint">${reason}</span></li>`,
    ),
    ...events.map(({ event }) => html`<li>${t('event')}: ${event}</li>`),
    ...(deliveries.length > 0 ? [html`<li>${t('deliveries')}: ${deliveries.length}</li>`] : []),
    ...mails.map(({ kind, recipient }) => html`<li>${messageOr(t, `mail_${kind}`, kind)}: ${recipient}</li>`),
  ]
  return lines.length === 0 ? html`` : panel(t('would_follow'), html`<ul class="rows">${lines}</ul>`)
}

function jsonBlock(value: unknown): Html {
  return html`<pre tabindex="0"><code>${value ? JSON.stringify(value, null, 2) : '–'}</code></pre>`
}
