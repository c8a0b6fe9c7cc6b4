// Settings > Audit log: all changes, as in GET /v1/audit.
import { Readable } from 'node:stream'
import { html } from 'hono/html'
import { auditCsv } from '../../../developer/auditlog/csv.ts'
import { auditEntry } from '../../../developer/auditlog/entry.ts'
import { list } from '../../framework/list.ts'
import type { ListFilter } from '../../framework/filters.ts'
import { readFilterQuery } from '../../framework/filters.ts'
import { mark } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { loadActorNames, actorText, type ActorNames } from './actors.ts'
import { inSettings } from '../../framework/placement.ts'
import { describeChange, findMainChange, loadRecordNames, type RecordNames } from './sentences.ts'

export const auditPath = '/settings/audit'
export const auditScope = 'read:audit'

type AuditEntry = NonNullable<typeof auditEntry.type>
type AuditRow = AuditEntry & { names: ActorNames; records: RecordNames }

// prettier-ignore
const filters: ListFilter[] = [
  { name: 'resource', words: 'noun' },
  { name: 'actor' },
  { name: 'operation' },
  { name: 'id', label: 'record_id' },
  { name: 'request_id' },
  { name: 'created', label: 'date', range: ['from', 'to'], as: 'moment' },
]

const table = list<typeof auditEntry.fields, AuditRow>({
  path: auditPath,
  ...inSettings('people', { text: 'audit_log_text', icon: 'audit' }),
  scope: auditScope,
  title: 'audit_log',
  resource: auditEntry,
  more: async (context, entries) => {
    const mainChanges = entries.map((entry) => findMainChange(entry, context.query.id))
    const [names, records] = await Promise.all([
      loadActorNames(context, entries),
      loadRecordNames(context, mainChanges),
    ])
    return entries.map((entry) => ({ ...entry, names, records }))
  },
  columns: [
    { title: 'audit_when', sort: 'created_at', cell: ({ created_at }, { formatTime }) => formatTime(created_at) },
    { title: 'audit_who', cell: (entry, context) => actorCell(context, entry) },
    { title: 'audit_what', cell: (entry, context) => changeCell(context, entry) },
  ],
  filters,
  empty: { title: 'audit_none', text: 'audit_none_text' },
  buttons: ({ t, base }) =>
    html`<a class="button quiet" href="${base}${auditPath}/security">${t('security_events')}</a>`,
})

/** The CSV file is that of the API and has no page limit. */
export const audit: Screen = {
  ...table,
  async csv(context) {
    const { query } = readFilterQuery(context, auditEntry, filters)
    const headers = { 'content-disposition': 'attachment; filename="audit.csv"' }
    const body = Readable.from(auditCsv(context.db, context.store, query as never))
    return { file: { type: 'text/csv; charset=utf-8', body }, headers }
  },
}

function actorCell({ base, t }: PageContext, { actor, names }: AuditRow): Html {
  const { name, kind } = actorText(t, actor, names)
  const all = `${base}${auditPath}?actor=${encodeURIComponent(actor.user ?? actor.id)}`
  return html`<a href="${all}">${name}</a><small>${kind}</small>`
}

/** In the history of a record, its own change comes first. */
function changeCell(context: PageContext, entry: AuditRow): Html {
  const { base, t, query } = context
  const { id, changes, reverted_by, records } = entry
  const more = changes.length > 1 ? t('and_more', { count: changes.length - 1 }) : ''
  const text = describeChange(context, findMainChange(entry, query.id), records)
  return html`<a class="main" href="${base}${auditPath}/${id}">${text}</a>
${reverted_by ? mark(t('audit_undone'), 'plain') : ''}${more ? html`<small>${more}</small>` : ''}`
}
