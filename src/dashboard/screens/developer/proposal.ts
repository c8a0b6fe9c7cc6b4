// One proposal: its changes, conflicts since then, and the decision.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { roles } from '../../../identity/accounts/user.ts'
import { customRole, maxRoles } from '../../../identity/account/role.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { ChangeView } from '../../../developer/auditlog/view.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { examineProposal } from '../../../developer/proposals/operations.ts'
import { proposal } from '../../../developer/proposals/proposal.ts'
import type { DryRunView as Rehearsed } from '../../../developer/dryruns/view.ts'
import { endpoint } from '../../framework/api.ts'
import { scopesOfRole } from '../../framework/call.ts'
import { form } from '../../framework/form.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import type { ScreenAction, Html, Screen, PageContext } from '../../framework/screen.ts'
import { messageOr } from '../../framework/messages.ts'
import { recordLink } from './links.ts'
import { proposalsPath, proposalTones, proposals } from './proposals.ts'
import { placeBelow } from '../../framework/placement.ts'

type ProposalRecord = NonNullable<typeof proposal.type>

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

export const proposalScreen: Screen = {
  path: `${proposalsPath}/{id}`,
  ...placeBelow(proposals),
  title: 'proposal',
  params: { id: proposal },
  actions: { approve, refuse: reject },
  async show(context) {
    const { db, store, ids } = context
    const examined = await examineProposal(db, { store, scopes: scopesOfRole(context) }, ids.id!)
    const { request, rehearsal } = examined.proposal
    return {
      title: `${request.method} ${request.path}`,
      content: html`${await decision(context, examined)}${about(context, examined.proposal)}
${panel(context.t('would_change'), changes(context, (rehearsal as Rehearsed).changes ?? []))}
${consequences(context, rehearsal as Rehearsed)}
${panel(context.t('was_sent'), jsonBlock(request.body))}`,
    }
  },
}

type ExaminedProposal = Awaited<ReturnType<typeof examineProposal>>

async function decision(
  context: PageContext,
  { proposal: { status }, scope, since }: ExaminedProposal,
): Promise<Html | ''> {
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

function about({ t, formatTime }: PageContext, record: ProposalRecord): Html {
  const { status, note, reason, proposed_by, decided_by, created_at, expires_at, decided_at, answer } = record
  const by = (actor: string | null) => actor && html`<code>${actor.split(':').at(-1)!}</code>`
  return panel(
    t('state'),
    facts([
      [t('status'), mark(t(`proposal_${status}`), proposalTones[status])],
      [t('note'), note],
      [t('proposed_by'), by(proposed_by)],
      [t('created_at'), formatTime(created_at)],
      [t('expires_at'), status === 'open' ? formatTime(expires_at) : null],
      [t('would_answer'), String(answer.status)],
      [t('decided_by'), by(decided_by)],
      [t('decided_at'), decided_at && formatTime(decided_at)],
      [t('refuse_reason'), reason],
    ]),
  )
}

function changes(context: PageContext, all: readonly ChangeView[]): Html {
  const { t } = context
  if (all.length === 0) return html`<p class="hint">${t('came_nothing')}</p>`
  const rows = all.map(({ resource, id, before, after, masked }) => {
    const how = before === null ? 'made' : after === null ? 'gone' : 'changed'
    const fields = Object.keys(after ?? before ?? {}).map((name) => {
      const [from, to] = [cellText(before?.[name]), cellText(after?.[name])]
      return html`<tr><th scope="row">${name}</th><td>${from}</td><td>${to}</td></tr>`
    })
    const hidden = masked.length > 0 ? html`<p class="hint">${t('masked')}: ${masked.join(', ')}</p>` : ''
    const name = messageOr(t, `record_${resource}`, resource)
    return html`<h3>${t(`has_${how}`)} ${name} ${recordLink(context, resource, id)}</h3>
<table class="plain changes"><thead><tr><th scope="col">${t('field')}</th><th scope="col">${t('before')}</th>
<th scope="col">${t('after')}</th></tr></thead><tbody>${fields}</tbody></table>${hidden}`
  })
  return html`${rows}`
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Effects other than changed records. */
function consequences(
  context: PageContext,
  { stock_movements = [], events = [], deliveries = [], mails = [] }: Rehearsed,
): Html {
  const { t } = context
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
