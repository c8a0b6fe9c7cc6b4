// Settings > Audit log: all changes, as in GET /v1/audit.
import { Readable } from 'node:stream'
import { html } from 'hono/html'
import { auditCsv } from '../../../developer/auditlog/csv.ts'
import { auditEntry } from '../../../developer/auditlog/entry.ts'
import type { ChangeView } from '../../../developer/auditlog/view.ts'
import { list } from '../../framework/list.ts'
import type { ListFilter } from '../../framework/filters.ts'
import { readFilterQuery } from '../../framework/filters.ts'
import { mark } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'
import { loadActorNames, actorText, type ActorNames } from './actors.ts'
import { inSettings } from '../../framework/placement.ts'
import { fieldName } from './fieldnames.ts'

export const auditPath = '/settings/audit'
export const auditScope = 'read:audit'

type AuditEntry = NonNullable<typeof auditEntry.type>
type AuditRow = AuditEntry & { names: ActorNames }

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
    const names = await loadActorNames(context, entries)
    return entries.map((entry) => ({ ...entry, names }))
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
function changeCell({ base, t, query }: PageContext, { id, operation, changes, reverted_by }: AuditRow): Html {
  const change = changes.find((one) => one.id === query.id) ?? changes[0]!
  const more = changes.length > 1 ? t('and_more', { count: changes.length - 1 }) : ''
  return html`<a class="main" href="${base}${auditPath}/${id}">${changeText(t, change)}</a>
${reverted_by ? mark(t('audit_undone'), 'plain') : ''}<small>${[more, operation].filter(Boolean).join(' · ')}</small>`
}

/** Returns e.g. `Product: Price, Quantity`. */
export function changeText(t: Translate, { resource, before, after, masked }: ChangeView): string {
  const fields = [...Object.keys(before && after ? after : {}), ...masked].slice(0, 4)
  const what =
    before === null
      ? t('change_made')
      : after === null
        ? t('change_gone')
        : fields.map((name) => fieldName(t, name)).join(', ')
  return `${messageOr(t, `noun_${resource}`, resource)}: ${what}`
}
