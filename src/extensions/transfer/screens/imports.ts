// Settings > Import: a file is uploaded here, and earlier imports are listed.
import { html } from 'hono/html'
import { isReadable } from '../imports/access.ts'
import type { CustomColumn } from '../imports/customcolumns.ts'
import { maxFileBytes } from '../imports/file.ts'
import { importJob, importStatuses } from '../imports/import.ts'
import { kinds, getImportReadScope } from '../imports/sources/source.ts'
import { attributes, renderFieldFault } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../../dashboard/framework/api.ts'
import { scopesOfRole } from '../../../dashboard/framework/call.ts'
import { form } from '../../../dashboard/framework/form.ts'
import { list } from '../../../dashboard/framework/list.ts'
import { mark } from '../../../dashboard/framework/parts.ts'
import { inSettings } from '../../../dashboard/framework/placement.ts'
import { importsPath } from './path.ts'
import { nameFaultValues, sourceNames } from './words.ts'
import type { Choices, Html, PageContext, ScreenAction } from '../../../dashboard/framework/screen.ts'

export type ListedImport = NonNullable<typeof importJob.type>

/** With the custom fields that its columns can be. */
export type ShownImport = ListedImport & { custom: readonly CustomColumn[] }

const kindTitles = ({ t }: PageContext): Choices => kinds.map((kind) => [kind, t(`import_kind_${kind}`)])
const sourceTitles: Choices = [...sourceNames]
export const listSourceTitles = ({ t }: Pick<PageContext, 't'>): Choices => [
  ...sourceTitles,
  ['generic', t('import_source_generic')],
]
const encodingTitles: Choices = [
  ['utf-8', 'UTF-8'],
  ['utf-16le', 'UTF-16'],
  ['utf-16be', 'UTF-16 BE'],
  ['windows-1252', 'Windows-1252'],
]

const upload: ScreenAction = {
  route: endpoint('POST /imports'),
  inputs: [
    { name: 'kind', label: 'import_kind', options: kindTitles },
    { name: 'source', label: 'import_source', hint: 'import_source_hint', options: () => sourceTitles },
    { name: 'on_duplicate', label: 'import_duplicates' },
    { name: 'sheet', label: 'import_sheet', hint: 'import_sheet_hint' },
    { name: 'encoding', label: 'import_encoding', hint: 'import_encoding_hint', options: () => encodingTitles },
  ],
  // Columns that are not known are mapped on the next screen.
  body: { unmapped: 'accept' },
  nameValues: nameFaultValues,
  done: 'import_uploaded',
  to: ({ id }) => `${importsPath}/${id}`,
}

export const imports = list({
  path: importsPath,
  scope: kinds.map(getImportReadScope),
  narrow: (context) => isReadable({ scopes: scopesOfRole(context) }),
  title: 'imports',
  resource: importJob,
  ...inSettings('store', { text: 'imports_text' }),
  lead: uploadForm,
  actions: { upload },
  columns: [
    { title: 'import_file', cell: renderImportName, csv: ({ file_name, id }) => file_name ?? id },
    { title: 'status', cell: (one, context) => statusMark(context, one), csv: ({ status }) => status },
    { title: 'import_rows', isNumber: true, cell: ({ rows_read }) => String(rows_read) },
    {
      title: 'created_at',
      sort: 'created_at',
      isWide: true,
      csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at }, { formatTime }) => formatTime(created_at),
    },
  ],
  filters: [
    { name: 'kind', label: 'import_kind', options: kindTitles },
    { name: 'status', options: ({ t }) => importStatuses.map((each) => [each, t(`import_status_${each}`)]) },
  ],
  empty: { title: 'imports_none', text: 'imports_none_text' },
})

async function uploadForm(context: PageContext): Promise<Html> {
  const { t, query, rejection } = context
  const fault = rejection?.act === 'upload' ? rejection.faults.file : undefined
  const id = 'import-file'
  const about = {
    id,
    type: 'file',
    name: 'file',
    accept: '.csv,.tsv,.txt,.xlsx,.xlsm,.ods,.zip,.jsonl,.ndjson',
    'data-most': maxFileBytes,
  }
  const wrong = { 'aria-invalid': fault && 'true', 'aria-describedby': fault && `${id}-fault` }
  const lead = html`<p class="field"><label for="${id}">${t('import_file')}</label>
<input${attributes({ ...about, ...wrong })}><small>${t('import_file_hint')}</small></p>${renderFieldFault(id, fault)}`
  return html`<div class="panel">${await form(context, {
    act: 'upload',
    action: upload,
    button: 'import_preview',
    values: { kind: kinds.find((kind) => kind === query.kind) ?? 'products', on_duplicate: 'skip' },
    lead,
  })}</div>`
}

function renderImportName({ id, file_name, kind, source }: ListedImport, { base, t }: PageContext): Html {
  const title = sourceNames.get(source)
  return html`<a class="main" href="${base}${importsPath}/${id}">${file_name ?? t(`import_kind_${kind}`)}</a>
<small>${t(`import_kind_${kind}`)} ${title ? ` · ${title}` : ''}</small>`
}

// prettier-ignore
const tones = {
  reading: 'plain', previewing: 'plain', ready: 'warn', running: 'plain', stopped: 'warn', completed: 'good',
  undoing: 'plain', undone: 'plain', failed: 'bad',
} as const

export function statusMark({ t }: Pick<PageContext, 't'>, { status }: Pick<ListedImport, 'status'>): Html {
  return mark(t(`import_status_${status}`), tones[status])
}
