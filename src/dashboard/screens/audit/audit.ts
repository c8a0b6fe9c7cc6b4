// Settings > Audit log: what everybody has changed, as GET /v1/audit tells it, and what can be undone of it.
import { Readable } from 'node:stream'
import { html } from 'hono/html'
import { auditCsv } from '../../../developer/auditlog/csv.ts'
import { auditEntry } from '../../../developer/auditlog/entry.ts'
import type { Change } from '../../../developer/auditlog/shown.ts'
import { list } from '../../framework/list.ts'
import type { ListFilter } from '../../framework/filters.ts'
import { queryOf } from '../../framework/filters.ts'
import { mark } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'
import { namesOf, whoIs, type Names } from './actors.ts'

export const auditPath = '/settings/audit'
export const auditScope = 'read:audit'

type Entry = NonNullable<typeof auditEntry.type>
type Row = Entry & { names: Names }

// prettier-ignore
const filters: ListFilter[] = [
  { name: 'resource', words: 'noun' },
  { name: 'actor' },
  { name: 'operation' },
  { name: 'id', label: 'record_id' },
  { name: 'request_id' },
  { name: 'created', label: 'date', range: ['from', 'to'], as: 'moment' },
]

const table = list<typeof auditEntry.fields, Row>({
  path: auditPath,
  section: 'settings',
  nav: { group: 'people', text: 'audit_log_text' },
  within: { path: '/settings', title: 'settings' },
  scope: auditScope,
  title: 'audit_log',
  resource: auditEntry,
  more: async (context, entries) => {
    const names = await namesOf(context, entries)
    return entries.map((entry) => ({ ...entry, names }))
  },
  columns: [
    { title: 'audit_when', sort: 'created_at', cell: ({ created_at }, { formatTime }) => formatTime(created_at) },
    { title: 'audit_who', cell: (entry, context) => who(context, entry) },
    { title: 'audit_what', cell: (entry, context) => what(context, entry) },
  ],
  filters,
  empty: { title: 'audit_none', text: 'audit_none_text' },
  buttons: ({ t, base }) =>
    html`<a class="button quiet" href="${base}${auditPath}/security">${t('security_events')}</a>`,
})

/** The table for spreadsheets is that of the API, however long. */
export const audit: Screen = {
  ...table,
  async csv(context) {
    const { query } = queryOf(context, auditEntry, filters)
    const headers = { 'content-disposition': 'attachment; filename="audit.csv"' }
    const body = Readable.from(auditCsv(context.db, context.store, query as never))
    return { file: { type: 'text/csv; charset=utf-8', body }, headers }
  },
}

function who({ base, t }: PageContext, { actor, names }: Row): Html {
  const { name, kind } = whoIs(t, actor, names)
  const all = `${base}${auditPath}?actor=${encodeURIComponent(actor.user ?? actor.id)}`
  return html`<a href="${all}">${name}</a><small>${kind}</small>`
}

function what({ base, t }: PageContext, { id, operation, changes, reverted_by }: Row): Html {
  const more = changes.length > 1 ? t('and_more', { count: changes.length - 1 }) : ''
  return html`<a class="main" href="${base}${auditPath}/${id}">${inWords(t, changes[0]!)}</a>
${reverted_by ? mark(t('audit_undone'), 'plain') : ''}<small>${[more, operation].filter(Boolean).join(' · ')}</small>`
}

/** `Product: price, stock_quantity` */
export function inWords(t: Translate, { resource, before, after, masked }: Change): string {
  const fields = [...Object.keys(before && after ? after : {}), ...masked].slice(0, 4)
  const what = before === null ? t('change_made') : after === null ? t('change_gone') : fields.join(', ')
  return `${messageOr(t, `noun_${resource}`, resource)}: ${what}`
}
