// Settings > Developers > Proposals: writes that wait for approval.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { proposal } from '../../../developer/proposals/proposal.ts'
import { scopes } from '../../../identity/apikeys/scopes.ts'
import { scopesOfRole } from '../../framework/call.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'
import { inSettings } from '../../framework/placement.ts'

export const proposalsPath = '/settings/developer/proposals'
/** Everybody who may propose something may open the list; `narrow` limits it to their scopes. */
const proposalScope = scopes.filter((scope) => scope.startsWith('propose:'))

export const proposalTones = { open: 'warn', approved: 'good', refused: 'bad', expired: 'plain' } as const

// prettier-ignore
export const proposals = list({
  path: proposalsPath, scope: proposalScope, title: 'proposals', resource: proposal,
  ...inSettings('developer', { text: 'proposals_text', icon: 'proposal' }),
  narrow: (context) => sql`proposals.scope = any(${[...scopesOfRole(context)]}::text[])`,
  columns: [
    { title: 'proposal', csv: ({ request: { method, path } }) => `${method} ${path}`,
      cell: ({ id, note, request: { method, path } }, { base }) => html`
<a class="main log" href="${base}${proposalsPath}/${id}">${method} ${path}</a><small>${note ?? ''}</small>` },
    { title: 'status', csv: ({ status }) => status,
      cell: ({ status }, { t }) => mark(t(`proposal_${status}`), proposalTones[status]) },
    { title: 'proposed_by', isWide: true, csv: ({ proposed_by }) => proposed_by,
      cell: ({ proposed_by }) => html`<code>${proposed_by.split(':').at(-1)!}</code>` },
    { title: 'expires_at', isWide: true, cell: ({ status, expires_at }, { formatTime }) =>
      (status === 'open' ? formatTime(expires_at) : '–'), csv: ({ expires_at }) => expires_at.toISOString() },
    { title: 'created_at', sort: 'created_at', isWide: true,
      cell: ({ created_at }, { formatTime }) => formatTime(created_at),
      csv: ({ created_at }) => created_at.toISOString() },
  ],
  filters: [{ name: 'status', words: 'proposal' }],
  empty: { title: 'proposals_none', text: 'proposals_none_text' },
})
