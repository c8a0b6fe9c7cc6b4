// One import: counts, columns, rows that need attention, and actions.
import { html } from 'hono/html'
import { findImport } from '../imports/access.ts'
import { listMappableFields } from '../imports/fields.ts'
import { importJob, importRow, keysByKind, matchKeys } from '../imports/import.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { field } from '../../../platform/pages/form.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../../dashboard/framework/api.ts'
import { form } from '../../../dashboard/framework/form.ts'
import { facts, panel } from '../../../dashboard/framework/parts.ts'
import { scopesOfRole } from '../../../dashboard/framework/call.ts'
import { placeBelow } from '../../../dashboard/framework/placement.ts'
import { record } from '../../../dashboard/framework/record.ts'
import type { FormInput, Html, PageContext, PageResult, ScreenAction } from '../../../dashboard/framework/screen.ts'
import { rowsCsv } from '../imports/csv.ts'
import { Readable } from 'node:stream'
import { importsPath } from './path.ts'
import { countsRecords, previewRecords } from './preview.ts'
import { nameImportField } from './words.ts'
import { imports, listSourceTitles, statusMark, type ListedImport } from './imports.ts'

const start: ScreenAction = { route: endpoint('POST /imports/{id}/start'), done: 'import_started' }
const stop: ScreenAction = { route: endpoint('POST /imports/{id}/stop'), done: 'import_stopped' }
const retry: ScreenAction = { route: endpoint('POST /imports/{id}/retry-images'), done: 'import_retried' }
const undo: ScreenAction = {
  route: endpoint('POST /imports/{id}/undo'),
  confirm: { title: 'import_undo_ask', text: 'import_undo_text', button: 'import_undo' },
  done: 'import_undoing',
}
/** A form offers what records of its kind are found by. */
function buildChangeInputs({ kind }: Partial<Pick<ListedImport, 'kind'>> = {}): FormInput[] {
  const keys = kind ? (['auto', ...(keysByKind[kind] ?? [])] as const) : matchKeys
  return [
    { name: 'on_duplicate', label: 'import_duplicates' },
    { name: 'match_by', label: 'import_match_by', options: ({ t }) => keys.map((key) => [key, t(`match_by_${key}`)]) },
    { name: 'source', label: 'import_source', options: listSourceTitles },
  ]
}

const change: ScreenAction = {
  route: endpoint('PATCH /imports/{id}'),
  inputs: buildChangeInputs(),
  body: readColumnMapping,
  done: 'import_previewed',
}

/** Rows that need attention on the screen itself; the file has all of them. */
const shownRows = 50

// prettier-ignore
export const importScreen = record({
  path: `${importsPath}/{id}`, ...placeBelow(imports), title: 'import', resource: importJob, read: importFor,
  limits: { fields: 600, bytes: 1024 * 1024 },
  actions: { start, stop, retry, undo, change },
  name: ({ file_name }, { t }) => file_name ?? t('import'),
  buttons: [
    follower,
    { act: 'start', text: 'import_start', kind: '', when: ({ status }) => status === 'ready' },
    { act: 'start', text: 'import_continue', kind: '', when: ({ status }) => status === 'stopped' },
    { act: 'stop', text: 'import_stop', when: ({ status }) => status === 'running' },
    { act: 'retry', text: 'import_retry',
      when: ({ status, images_failed }) => status === 'completed' && images_failed > 0 },
    { act: 'undo', text: 'import_undo', kind: 'quiet danger',
      when: ({ status }) => status === 'completed' || status === 'stopped' },
  ],
  main: [async (context, one) => html`<div id="import">${progress(context, one)}${await previewRecords(context, one)}
${warnings(context, one)}${await remarks(context, one)}${await attention(context, one)}
${await columnsForm(context, one)}</div>`],
  csv: download,
})

async function download(context: PageContext): Promise<PageResult> {
  const { db, store, ids } = context
  await importFor(context)
  const query = { page: 1, per_page: 100, sort: 'number', order: 'asc' } as const
  const body = Readable.from(rowsCsv({ db, store, query, params: { id: ids.id! }, scopes: scopesOfRole(context) }))
  const headers = { 'content-disposition': 'attachment; filename="import.csv"' }
  return { file: { type: 'text/csv; charset=utf-8', body }, headers }
}

/** The import, if the person may read records of its kind. */
async function importFor(context: PageContext): Promise<ListedImport> {
  const { db, store, ids } = context
  return (await findImport(db, store.id, ids.id!, { scopes: scopesOfRole(context) })).entity
}

/** Reads the chosen column of each field; the selects are numbered. */
async function readColumnMapping(context: PageContext): Promise<object> {
  const { form: submission } = context
  const entity = await importFor(context)
  const choices = entity.columns.map(({ name }, index) => [name, field(submission, `column.${index}`) || null])
  return { mapping: JSON.stringify(Object.fromEntries(choices)) }
}

const activeStatuses: readonly ListedImport['status'][] = ['reading', 'previewing', 'running', 'undoing']

/** Updates the screen during the import, whose buttons change once it is done. */
function follower({ t }: PageContext, { status }: ListedImport): Html | '' {
  if (!activeStatuses.includes(status)) return ''
  const words = { live: t('live'), paused: t('paused'), pause: t('pause'), resume: t('resume') }
  return html`<live-part${attributes({ of: 'import', every: 2, ...words })}></live-part>`
}

const rowCounts = [
  'rows_to_create',
  'rows_to_update',
  'rows_created',
  'rows_updated',
  'rows_skipped',
  'rows_rejected',
  'rows_undone',
] as const
const imageCounts = ['images_pending', 'images_fetched', 'images_failed'] as const

function progress(context: PageContext, one: ListedImport): Html {
  const { t, here } = context
  const { status, rows_read, error } = one
  const remaining = one.rows_to_create + one.rows_to_update
  const checkedRows =
    remaining + one.rows_created + one.rows_updated + one.rows_skipped + one.rows_rejected + one.rows_undone
  const rowsDone = status === 'running' ? rows_read - remaining : status === 'undoing' ? one.rows_undone : checkedRows
  const isWorking = activeStatuses.includes(status)
  const bar = attributes({ max: Math.max(1, rows_read), value: rowsDone, 'aria-label': t('import_progress') })
  // Where records are counted, rows are not: two counts with one name would differ.
  const counts = countsRecords(one) ? imageCounts : [...rowCounts, ...imageCounts]
  const numbers = counts.flatMap((name) => (one[name] > 0 ? [[t(`import_${name}`), String(one[name])] as const] : []))
  return panel(
    t('import_progress'),
    html`${facts([
      [t('status'), statusMark(context, one)],
      [t('import_rows_read'), String(rows_read)],
      ...numbers,
      [t('import_error'), error],
    ])}${isWorking ? html`<p><progress${bar}></progress> <a href="${here}">${t('load_again')}</a></p>` : ''}`,
    html`<a class="button quiet" href="${here}.csv" download>${t('import_download')}</a>`,
  )
}

/** Columns that are left out although they could matter. */
function warnings({ t }: PageContext, { warnings: all, notes }: ListedImport): Html | '' {
  const left = notes.map((note) => html`<p>${note}</p>`)
  if (all.length === 0) return notes.length > 0 ? panel(t('import_notes'), html`${left}`) : ''
  const rows = all.map(({ column, message }) => html`<tr><td>${column}</td><td>${message}</td></tr>`)
  return panel(
    t('import_warnings'),
    html`${left}<table class="plain"><thead><tr>
<th>${t('import_column')}</th><th>${t('import_message')}</th></tr></thead>
<tbody>${rows}</tbody></table>`,
  )
}

const shownCauses = 20

/** What rows that are not rejected say, by cause: why they are skipped, and what of them is not imported. */
async function remarks({ db, store, t }: PageContext, { id, status }: ListedImport): Promise<Html | ''> {
  if (activeStatuses.includes(status)) return ''
  const causes = await db.rows<{ column: string | null; message: string; count: number; line: number }>(sql`
    select each ->> 'column' as column, each ->> 'message' as message, count(*)::int as count, min(line) as line
    from import_rows, json_array_elements(messages) as each
    where store_id = ${store.id}
      and import_id = ${toUuid('imp', id)}::uuid
      and outcome <> 'rejected'
    group by 1, 2
    order by 3 desc, 4
    limit ${shownCauses}`)
  if (causes.length === 0) return ''
  const rows = causes.map(
    ({ column, message, count, line }) =>
      html`<tr><td>${count}</td><td>${line}</td><td>${column ?? ''}</td><td>${message}</td></tr>`,
  )
  return panel(
    t('import_remarks'),
    html`<table class="plain"><thead><tr><th>${t('import_rows')}</th><th>${t('import_first_line')}</th>
<th>${t('import_column')}</th><th>${t('import_message')}</th></tr></thead><tbody>${rows}</tbody></table>`,
  )
}

/** Rejected rows come first; skipped rows and rows with remarks are in the file. */
async function attention({ db, store, t }: PageContext, { id, rows_rejected }: ListedImport): Promise<Html | ''> {
  if (rows_rejected === 0) return ''
  const query = { page: 1, per_page: shownRows, sort: 'number', order: 'asc', outcome: 'rejected' } as const
  const within = sql`import_rows.import_id = ${toUuid('imp', id)}`
  const { data } = await entityPage(db, importRow, store, query, within)
  const rows = data.flatMap(({ line, messages }) =>
    messages.map(({ column, message }) => html`<tr><td>${line}</td><td>${column ?? ''}</td><td>${message}</td></tr>`),
  )
  const others = rows_rejected - data.length
  return panel(
    t('import_rejected'),
    html`<table class="plain"><thead><tr><th>${t('import_line')}</th><th>${t('import_column')}</th>
<th>${t('import_message')}</th></tr></thead><tbody>${rows}</tbody></table>
${others > 0 ? html`<p class="hint">${t('import_more', { count: others })}</p>` : ''}`,
  )
}

async function columnsForm(context: PageContext, one: ListedImport): Promise<Html> {
  const { t } = context
  const isOpen = one.status === 'ready' || one.status === 'previewing'
  const names = listMappableFields(one.kind).map((each) => [each, nameImportField(t, each)] as const)
  const samples = await readSamples(context, one)
  const rows = one.columns.map(({ name, field: mappedField }, index) => {
    const options = names.map(
      ([each, title]) => html`<option value="${each}"${each === mappedField ? html` selected` : ''}>${title}</option>`,
    )
    const cell = isOpen
      ? html`<select name="column.${index}" aria-label="${name}"><option value="">${t('import_left_out')}</option>
${options}</select>`
      : mappedField
        ? nameImportField(t, mappedField)
        : t('import_left_out')
    return html`<tr><td>${name}<small>${samples[index]}</small></td><td>${cell}</td></tr>`
  })
  const table = html`<table class="plain"><thead><tr><th>${t('import_column')}</th>
<th>${t('import_field')}</th></tr></thead><tbody>${rows}</tbody></table>`
  if (!isOpen) return panel(t('import_columns'), table)
  const props = {
    act: 'change',
    action: { ...change, inputs: buildChangeInputs(one) },
    button: 'import_preview_again',
    values: one,
    more: table,
    isQuiet: true,
  } as const
  return panel(t('import_columns'), await form(context, props))
}

const sampleRows = 20
const sampleLength = 60

/** The first value of each column. */
async function readSamples({ db, store }: PageContext, { id, columns }: ListedImport): Promise<string[]> {
  const rows = await db.rows<{ cells: string[] }>(sql`
    select cells
    from import_rows
    where store_id = ${store.id}
      and import_id = ${toUuid('imp', id)}::uuid
    order by number
    limit ${sampleRows}`)
  return columns.map((_, index) => {
    const value = rows.map(({ cells }) => cells[index]?.trim() ?? '').find((cell) => cell !== '') ?? ''
    return value.length > sampleLength ? `${value.slice(0, sampleLength)}…` : value
  })
}
