// An audit entry: actor, operation, fields before and after; and reverting it after a dry run.
import { html } from 'hono/html'
import { ApiError } from '../../../kit/values/errors.ts'
import type { Obstacle } from '../../../developer/auditlog/errors.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { auditEntry } from '../../../developer/auditlog/entry.ts'
import type { ChangeView } from '../../../developer/auditlog/view.ts'
import { endpoint } from '../../framework/api.ts'
import { mayCall, rehearse } from '../../framework/call.ts'
import { button } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { messageOr } from '../../framework/messages.ts'
import { loadActorNames, actorText } from './actors.ts'
import { auditPath, audit } from './audit.ts'
import { placeBelow } from '../../framework/placement.ts'
import { fieldName } from './fieldnames.ts'
import {
  describeChange,
  findMainChange,
  formatCell,
  loadRecordNames,
  nameRecord,
  type RecordNames,
} from './sentences.ts'

type AuditEntry = NonNullable<typeof auditEntry.type>

const undo: ScreenAction = { route: endpoint('POST /changes/{request_id}/revert'), done: 'undone' }

// prettier-ignore
export const auditEntryScreen = record({
  path: `${auditPath}/{entry}`, ...placeBelow(audit), title: 'audit_entry', resource: auditEntry, actions: { undo },
  more: withNames,
  name: (entry, context) => describeChange(context, findMainChange(entry), entry.records),
  main: [
    { title: 'audit_about', facts: [
      ['audit_who', ({ actor, names }, { t }) => {
        const { name, kind } = actorText(t, actor, names)
        return html`${name}<small>${kind}</small>`
      }],
      ['audit_when', 'created_at'],
      ['audit_proposed_by', ({ proposed_by: by, proposal_id: id }) => by && html`${by}<small>${id}</small>`],
      'operation',
      ['request_id', ({ request_id }, context) => request_id && requestLink(context, request_id)],
      ['audit_undone_by', ({ reverted_by }, context) => reverted_by && requestLink(context, reverted_by)],
      ['audit_number', 'sequence'],
      ['audit_hash', ({ hash }) => hash && html`<code>${hash}</code>`],
      ['field_id', ({ id }) => html`<code>${id}</code>`],
    ] },
    undoPanel,
    (context, { changes, records }) => html`${changes.map((change) => changePanel(context, change, records))}`,
  ],
})

async function withNames(context: PageContext, entry: AuditEntry) {
  const [names, records] = await Promise.all([
    loadActorNames(context, [entry]),
    loadRecordNames(context, [findMainChange(entry), ...entry.changes]),
  ])
  return { ...entry, names, records }
}

function requestLink({ base }: PageContext, request: string): Html {
  return html`<a href="${base}/settings/developer/requests/${request}">${request}</a>`
}

/** Shows the result of a dry run before the person confirms. */
async function undoPanel(context: PageContext, { request_id, reverted_by }: AuditEntry): Promise<Html | ''> {
  const { t, query, rejection, role, here } = context
  if (request_id === null || !mayCall(role, undo.route)) return ''
  if (rejection?.error) {
    rejection.isShown = true
    return await obstacleNotice(context, rejection.error)
  }
  if (reverted_by !== null) return ''
  const address = here.split('?')[0]!
  if (query.undo !== '1') return html`<p><a class="button quiet" href="${address}?undo=1">${t('undo')}</a></p>`
  try {
    const { records } = await rehearse(context, undo.route, { params: { request_id }, body: {} })
    return confirmation(context, request_id, { records, names: await loadRecordNames(context, records) }, address)
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return await obstacleNotice(context, error)
    throw error
  }
}

type RevertedRecord = { resource: string; id: string; action: 'changed' | 'moved' | 'removed' | 'restored' }

const maxListed = 20

function confirmation(
  context: PageContext,
  request_id: string,
  { records, names }: { records: readonly RevertedRecord[]; names: RecordNames },
  address: string,
): Html {
  const { t } = context
  const rows = records
    .slice(0, maxListed)
    .map((one) => html`<li>${nameRecord(context, one, names)}: ${t(`undo_${one.action}`)}</li>`)
  const others = records.length - rows.length
  const more = others > 0 ? html`<li>${t('and_more', { count: others })}</li>` : ''
  return panel(
    t('undo_ask'),
    html`<p>${t('undo_text')}</p><ul class="bullets">${rows}${more}</ul>
<div class="pair">${button(context, { act: 'undo', fixed: { request_id }, text: 'undo_now', kind: '' })}
<a class="button quiet" href="${address}">${t('keep')}</a></div>`,
  )
}

async function obstacleNotice(context: PageContext, { details }: ApiError): Promise<Html> {
  const { t, formatTime } = context
  const obstacles = (details as { obstacles?: readonly Obstacle[] } | undefined)?.obstacles ?? []
  const names = await loadRecordNames(context, obstacles)
  const rows = obstacles.map(({ resource, id, field, reason, later }) => {
    const what = `${nameRecord(context, { resource, id }, names)}${field ? `, ${fieldName(t, field)}` : ''}`
    const since = later.map(({ operation, created_at }) => `${operation}, ${formatTime(created_at)}`)
    return html`<li>${what}: ${messageOr(t, `obstacle_${reason}`, reason)}
${since.length > 0 ? html`<small>${since.join(' · ')}</small>` : ''}</li>`
  })
  return notice('warning', html`<p><strong>${t('refused_undo')}</strong></p><ul class="bullets">${rows}</ul>`)
}

function changePanel(context: PageContext, change: ChangeView, records: RecordNames): Html {
  const { t } = context
  const { before, after, masked } = change
  const kind = before === null ? 'made' : after === null ? 'gone' : 'changed'
  const tone = { made: 'good', gone: 'bad', changed: 'plain' } as const
  const names = Object.keys({ ...before, ...after })
  const rows = names.map(
    (name) =>
      html`<tr><th scope="row">${fieldName(t, name)}</th><td>${formatCell(context, before, name)}</td>
<td>${formatCell(context, after, name)}</td></tr>`,
  )
  const hiddenOnes =
    masked.length === 0
      ? ''
      : html`<p class="hint">${t('audit_masked', { fields: masked.map((name) => fieldName(t, name)).join(', ') })}</p>`
  return panel(
    nameRecord(context, change, records),
    html`<table class="list before-after"><thead><tr><th scope="col">${t('field')}</th>
<th scope="col">${t('before')}</th><th scope="col">${t('after')}</th></tr></thead><tbody>${rows}</tbody></table>
${hiddenOnes}`,
    mark(t(`change_${kind}`), tone[kind]),
  )
}
