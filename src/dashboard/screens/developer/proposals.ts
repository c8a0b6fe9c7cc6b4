// Settings > Developer > Proposals: writes that wait for somebody to approve them.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { proposal } from '../../../developer/proposals/proposal.ts'
import { heldBy } from '../../framework/call.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'

export const proposalsPath = '/settings/developer/proposals'
/** Whoever may propose anything may open the list: it has what each may see. */
export const proposalScope = 'propose:orders'

export const proposalTones = { open: 'warn', approved: 'good', refused: 'bad', expired: 'plain' } as const

// prettier-ignore
export const proposals = list({
  path: proposalsPath, section: 'settings', scope: proposalScope, title: 'proposals', resource: proposal,
  nav: { group: 'developer', text: 'proposals_text' },
  within: { path: '/settings', title: 'developer' },
  narrow: (visit) => sql`proposals.scope = any(${[...heldBy(visit)]}::text[])`,
  columns: [
    { title: 'proposal', plain: ({ request: { method, path } }) => `${method} ${path}`,
      cell: ({ id, note, request: { method, path } }, { base }) => html`
<a class="main log" href="${base}${proposalsPath}/${id}">${method} ${path}</a><small>${note ?? ''}</small>` },
    { title: 'status', plain: ({ status }) => status,
      cell: ({ status }, { say }) => mark(say(`proposal_${status}`), proposalTones[status]) },
    { title: 'proposed_by', isWide: true, plain: ({ proposed_by }) => proposed_by,
      cell: ({ proposed_by }) => html`<code>${proposed_by.split(':').at(-1)!}</code>` },
    { title: 'expires_at', isWide: true, cell: ({ status, expires_at }, { when }) =>
      (status === 'open' ? when(expires_at) : '–'), plain: ({ expires_at }) => expires_at.toISOString() },
    { title: 'created_at', sort: 'created_at', isWide: true, cell: ({ created_at }, { when }) => when(created_at),
      plain: ({ created_at }) => created_at.toISOString() },
  ],
  filters: [{ name: 'status', words: 'proposal' }],
  empty: { title: 'proposals_none', text: 'proposals_none_text' },
})
