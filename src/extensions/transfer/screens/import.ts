// One import: counts, what its rows say, columns, and actions.
import { html } from 'hono/html'
import { importJob, keysByKind, matchKeys } from '../imports/import.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../../dashboard/framework/api.ts'
import { form } from '../../../dashboard/framework/form.ts'
import { facts, panel } from '../../../dashboard/framework/parts.ts'
import { scopesOfRole } from '../../../dashboard/framework/call.ts'
import { placeBelow } from '../../../dashboard/framework/placement.ts'
import { record } from '../../../dashboard/framework/record.ts'
import type { FormInput, Html, PageContext, PageResult, ScreenAction } from '../../../dashboard/framework/screen.ts'
import { rowsCsv } from '../imports/csv.ts'
import { findCustomColumns } from '../imports/customcolumns.ts'
import { Readable } from 'node:stream'
import { renderCauses, renderFieldSelect, renderWarnings } from './causes.ts'
import { fix, importFor, readColumnChoices, renderFixes } from './fixes.ts'
import { importsPath } from './path.ts'
import { countsRecords, previewRecords } from './preview.ts'
import { nameFaultValues, nameImportField, wordRemark, type StoredRemark } from './words.ts'
import { imports, listSourceTitles, statusMark, type ListedImport, type ShownImport } from './imports.ts'

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
  body: readColumnChoices,
  nameValues: nameFaultValues,
  done: 'import_previewed',
}

// prettier-ignore
export const importScreen = record({
  path: `${importsPath}/{id}`, ...placeBelow(imports), title: 'import', resource: importJob, read: importFor,
  limits: { fields: 600, bytes: 1024 * 1024 },
  actions: { start, stop, retry, undo, change, fix },
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
  main: [async (context, read) => {
    const one = { ...read, custom: await findCustomColumns(context.db, context.store, read.kind) }
    return html`<div id="import">${progress(context, one)}${await previewRecords(context, one)}
${await renderWarnings(context, one)}${isActive(one) ? '' : await renderCauses(context, one)}
${renderFixes(context, one)}${await columnsForm(context, one)}</div>`
  }],
  csv: download,
})

async function download(context: PageContext): Promise<PageResult> {
  const { db, store, ids, t } = context
  const { kind } = await importFor(context)
  const custom = await findCustomColumns(db, store, kind)
  const query = { page: 1, per_page: 100, sort: 'number', order: 'asc' } as const
  const request = {
    db,
    store,
    query,
    params: { id: ids.id! },
    scopes: scopesOfRole(context),
    word: (one: StoredRemark) => wordRemark(t, one, custom),
  }
  const body = Readable.from(rowsCsv(request))
  const headers = { 'content-disposition': 'attachment; filename="import.csv"' }
  return { file: { type: 'text/csv; charset=utf-8', body }, headers }
}

const activeStatuses: readonly ListedImport['status'][] = ['reading', 'previewing', 'running', 'undoing']
const isActive = ({ status }: ListedImport) => activeStatuses.includes(status)

/** Updates the screen during the import, whose buttons change once it is done. */
function follower({ t }: PageContext, one: ListedImport): Html | '' {
  if (!isActive(one)) return ''
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
    ])}${isActive(one) ? html`<p><progress${bar}></progress> <a href="${here}">${t('load_again')}</a></p>` : ''}`,
    html`<a class="button quiet" href="${here}.csv" download>${t('import_download')}</a>`,
  )
}

async function columnsForm(context: PageContext, one: ShownImport): Promise<Html> {
  const { t } = context
  const isOpen = one.status === 'ready' || one.status === 'previewing'
  const samples = await readSamples(context, one)
  const rows = one.columns.map(({ name, field }, index) => {
    const cell = isOpen
      ? renderFieldSelect(context, one, index)
      : field
        ? nameImportField(t, field, one.custom)
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
