// An entry of the audit log: who, why, each field before and after; and undoing it, once it was seen what that does.
import { html } from 'hono/html'
import { findRecord } from '../../../kit/declare/page.ts'
import { ApiError, type Obstacle } from '../../../kit/values/errors.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { auditEntry } from '../../../developer/auditlog/entry.ts'
import type { Change } from '../../../developer/auditlog/shown.ts'
import { endpoint } from '../../framework/api.ts'
import { mayCall, rehearse } from '../../framework/call.ts'
import { button } from '../../framework/form.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import type { Action, Html, Screen, Visit } from '../../framework/page.ts'
import { wordIn } from '../../framework/words.ts'
import { namesOf, whoIs } from './actors.ts'
import { auditPath, auditScope, inWords } from './audit.ts'

type Entry = NonNullable<typeof auditEntry.type>

const undo: Action = { route: endpoint('POST /changes/{request_id}/revert'), done: 'undone' }

export const auditEntryScreen: Screen = {
  path: `${auditPath}/{entry}`,
  scope: auditScope,
  title: 'audit_entry',
  section: 'settings',
  within: { path: auditPath, title: 'audit_log' },
  params: { entry: auditEntry },
  actions: { undo },
  async show(visit) {
    const { db, store, ids } = visit
    const { entity } = await findRecord(db, auditEntry, store.id, ids.entry!)
    return {
      title: inWords(visit.say, entity.changes[0]!),
      content: html`${await about(visit, entity)}
${await undoing(visit, entity)}
${entity.changes.map((change) => changed(visit, change))}`,
    }
  },
}

async function about(visit: Visit, entry: Entry): Promise<Html> {
  const { say, when, base } = visit
  const { id, actor, request_id, operation, created_at, sequence, hash, reverted_by, proposal_id, proposed_by } = entry
  const { name, kind } = whoIs(say, actor, await namesOf(visit, [entry]))
  const explain = (request: string) => html`<a href="${base}/settings/developer/requests/${request}">${request}</a>`
  return panel(
    say('audit_about'),
    facts([
      [say('audit_who'), html`${name}<small>${kind}</small>`],
      [say('audit_when'), when(created_at)],
      [say('audit_proposed_by'), proposed_by && html`${proposed_by}<small>${proposal_id}</small>`],
      [say('operation'), operation],
      [say('request_id'), request_id && explain(request_id)],
      [say('audit_undone_by'), reverted_by && explain(reverted_by)],
      [say('audit_number'), sequence === null ? null : String(sequence)],
      [say('audit_hash'), hash && html`<code>${hash}</code>`],
      ['id', html`<code>${id}</code>`],
    ]),
  )
}

/** What it would do is tried first, and nothing of that stays. */
async function undoing(visit: Visit, { request_id, reverted_by }: Entry): Promise<Html | ''> {
  const { say, query, refused, role, here } = visit
  if (request_id === null || !mayCall(role, undo.route)) return ''
  if (refused?.error) {
    refused.isSaid = true
    return obstaclesOf(visit, refused.error)
  }
  if (reverted_by !== null) return ''
  const address = here.split('?')[0]!
  if (query.undo !== '1') return html`<p><a class="button quiet" href="${address}?undo=1">${say('undo')}</a></p>`
  try {
    const { records } = await rehearse(visit, undo.route, { params: { request_id }, body: {} })
    return question(visit, request_id, records, address)
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return obstaclesOf(visit, error)
    throw error
  }
}

type Reverted = { resource: string; id: string; action: 'changed' | 'moved' | 'removed' | 'restored' }

function question(visit: Visit, request_id: string, records: readonly Reverted[], address: string): Html {
  const { say } = visit
  const rows = records.map(
    ({ resource, id, action }) =>
      html`<li>${wordIn(say, `noun_${resource}`, resource)} <code>${id}</code>: ${say(`undo_${action}`)}</li>`,
  )
  return panel(
    say('undo_ask'),
    html`<p>${say('undo_text')}</p><ul class="bullets">${rows}</ul>
<div class="pair">${button(visit, { act: 'undo', fixed: { request_id }, text: 'undo_now', kind: '' })}
<a class="button quiet" href="${address}">${say('keep')}</a></div>`,
  )
}

function obstaclesOf(visit: Visit, { details }: ApiError): Html {
  const { say, when } = visit
  const obstacles = (details as { obstacles?: readonly Obstacle[] } | undefined)?.obstacles ?? []
  const rows = obstacles.map(({ resource, id, field, reason, later }) => {
    const what = `${wordIn(say, `noun_${resource}`, resource)} ${id}${field ? `, ${field}` : ''}`
    const since = later.map(({ operation, created_at }) => `${operation}, ${when(created_at)}`)
    return html`<li>${what}: ${wordIn(say, `obstacle_${reason}`, reason)}
${since.length > 0 ? html`<small>${since.join(' · ')}</small>` : ''}</li>`
  })
  return notice('warning', html`<p><strong>${say('refused_undo')}</strong></p><ul class="bullets">${rows}</ul>`)
}

function changed({ say }: Visit, { resource, id, before, after, masked }: Change): Html {
  const kind = before === null ? 'made' : after === null ? 'gone' : 'changed'
  const tone = { made: 'good', gone: 'bad', changed: 'plain' } as const
  const names = Object.keys({ ...before, ...after })
  const rows = names.map(
    (name) =>
      html`<tr><th scope="row">${name}</th><td>${valueOf(before, name)}</td><td>${valueOf(after, name)}</td></tr>`,
  )
  const hiddenOnes =
    masked.length === 0 ? '' : html`<p class="hint">${say('audit_masked', { fields: masked.join(', ') })}</p>`
  return panel(
    `${wordIn(say, `noun_${resource}`, resource)} ${id}`,
    html`<table class="list before-after"><thead><tr><th scope="col">${say('field')}</th>
<th scope="col">${say('before')}</th><th scope="col">${say('after')}</th></tr></thead><tbody>${rows}</tbody></table>
${hiddenOnes}`,
    mark(say(`change_${kind}`), tone[kind]),
  )
}

function valueOf(values: Record<string, unknown> | null, name: string): string {
  const value = values?.[name]
  if (value === undefined || value === null) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
