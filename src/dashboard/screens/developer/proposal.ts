// One proposal: what it would change, what has changed since, and the decision.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { roles } from '../../../identity/accounts/user.ts'
import type { Change } from '../../../developer/auditlog/shown.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { examineProposal } from '../../../developer/proposals/operations.ts'
import { proposal } from '../../../developer/proposals/proposal.ts'
import type { Shown as Rehearsed } from '../../../developer/dryruns/shown.ts'
import { endpoint } from '../../framework/api.ts'
import { heldBy } from '../../framework/call.ts'
import { form } from '../../framework/form.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import type { Action, Html, Screen, Visit } from '../../framework/page.ts'
import { wordIn } from '../../framework/words.ts'
import { recordLink } from './links.ts'
import { proposalScope, proposalsPath, proposalTones } from './proposals.ts'

type Proposal = NonNullable<typeof proposal.type>

const approve: Action = {
  route: endpoint('POST /proposals/{id}/approve'),
  done: 'proposal_is_approved',
  conflict: 'proposal_decided',
}
const refuse: Action = {
  route: endpoint('POST /proposals/{id}/refuse'),
  inputs: [{ name: 'reason', label: 'refuse_reason', as: 'area' }],
  done: 'proposal_is_refused',
  conflict: 'proposal_decided',
}

export const proposalScreen: Screen = {
  path: `${proposalsPath}/{id}`,
  scope: proposalScope,
  title: 'proposal',
  section: 'settings',
  within: { path: proposalsPath, title: 'proposals' },
  params: { id: proposal },
  actions: { approve, refuse },
  async show(visit) {
    const { db, store, ids } = visit
    const examined = await examineProposal(db, { store, scopes: heldBy(visit) }, ids.id!)
    const { request, rehearsal } = examined.proposal
    return {
      title: `${request.method} ${request.path}`,
      content: html`${await decision(visit, examined)}${about(visit, examined.proposal)}
${panel(visit.say('would_change'), changes(visit, (rehearsal as Rehearsed).changes ?? []))}
${consequences(visit, rehearsal as Rehearsed)}
${panel(visit.say('was_sent'), pre(request.body))}`,
    }
  },
}

type Examined = Awaited<ReturnType<typeof examineProposal>>

async function decision(visit: Visit, { proposal: { status }, scope, since }: Examined): Promise<Html | ''> {
  const { say, role } = visit
  if (status !== 'open') return ''
  const who = roles.filter((each) => mayUse(each, scope)).map((each) => say(`role_${each}`))
  const may = html`<p class="hint">${say('who_may_approve', { roles: who.join(', ') })}</p>`
  const stale = since.map(
    ({ resource, id, field }) => html`<li>${wordIn(say, `record_${resource}`, resource ?? '')}
${id ? recordLink(visit, resource ?? '', id) : ''}: ${field}</li>`,
  )
  const warning = html`<p><strong>${say('proposal_outdated')}</strong></p><ul>${stale}</ul>`
  const approving = await form(visit, { act: 'approve', action: approve, button: 'approve' })
  const refusing = await form(visit, { act: 'refuse', action: refuse, button: 'refuse', isQuiet: true })
  return panel(
    say('decide'),
    html`${since.length > 0 ? notice('warning', warning) : ''}${may}
${mayUse(role, scope) ? approving : ''}
<details class="more"><summary>${say('refuse')}</summary>${refusing}</details>`,
  )
}

function about({ say, when }: Visit, found: Proposal): Html {
  const { status, note, reason, proposed_by, decided_by, created_at, expires_at, decided_at, answer } = found
  const by = (actor: string | null) => actor && html`<code>${actor.split(':').at(-1)!}</code>`
  return panel(
    say('state'),
    facts([
      [say('status'), mark(say(`proposal_${status}`), proposalTones[status])],
      [say('note'), note],
      [say('proposed_by'), by(proposed_by)],
      [say('created_at'), when(created_at)],
      [say('expires_at'), status === 'open' ? when(expires_at) : null],
      [say('would_answer'), String(answer.status)],
      [say('decided_by'), by(decided_by)],
      [say('decided_at'), decided_at && when(decided_at)],
      [say('refuse_reason'), reason],
    ]),
  )
}

function changes(visit: Visit, all: readonly Change[]): Html {
  const { say } = visit
  if (all.length === 0) return html`<p class="hint">${say('came_nothing')}</p>`
  const rows = all.map(({ resource, id, before, after, masked }) => {
    const how = before === null ? 'made' : after === null ? 'gone' : 'changed'
    const fields = Object.keys(after ?? before ?? {}).map(
      (name) =>
        html`<tr><th scope="row">${name}</th><td>${shown(before?.[name])}</td><td>${shown(after?.[name])}</td></tr>`,
    )
    const hidden = masked.length > 0 ? html`<p class="hint">${say('masked')}: ${masked.join(', ')}</p>` : ''
    const name = wordIn(say, `record_${resource}`, resource)
    return html`<h3>${say(`has_${how}`)} ${name} ${recordLink(visit, resource, id)}</h3>
<table class="plain changes"><thead><tr><th scope="col">${say('field')}</th><th scope="col">${say('before')}</th>
<th scope="col">${say('after')}</th></tr></thead><tbody>${fields}</tbody></table>${hidden}`
  })
  return html`${rows}`
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Beside what it changes. */
function consequences(
  visit: Visit,
  { stock_movements = [], events = [], deliveries = [], mails = [] }: Rehearsed,
): Html {
  const { say } = visit
  const lines = [
    ...stock_movements.map(
      ({ product_id, quantity, reason }) => html`<li>${recordLink(visit, 'product', product_id)}
${quantity > 0 ? '+' : ''}${quantity} <span class="hint">${reason}</span></li>`,
    ),
    ...events.map(({ event }) => html`<li>${say('event')}: ${event}</li>`),
    ...(deliveries.length > 0 ? [html`<li>${say('deliveries')}: ${deliveries.length}</li>`] : []),
    ...mails.map(({ kind, recipient }) => html`<li>${wordIn(say, `mail_${kind}`, kind)}: ${recipient}</li>`),
  ]
  return lines.length === 0 ? html`` : panel(say('would_follow'), html`<ul class="rows">${lines}</ul>`)
}

function pre(value: unknown): Html {
  return html`<pre tabindex="0"><code>${value ? JSON.stringify(value, null, 2) : '–'}</code></pre>`
}
