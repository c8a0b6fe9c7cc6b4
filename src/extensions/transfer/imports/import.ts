// An import, and the rows of its file.
import { list, object } from '../../../kit/declare/composites.ts'
import { derive, field } from '../../../kit/declare/field.ts'
import { filter, resource } from '../../../kit/declare/resource.ts'
import { choice, id, integer, text, time } from '../../../kit/declare/scalars.ts'
import { createBody, patchBody, type Reader } from '../../../kit/declare/shape.ts'
import { sql } from '../../../kit/database/sql.ts'
import { fixes, type Fix } from './fixes.ts'
import { columnNotes } from './notes.ts'
import { encodings } from './text.ts'
import { sourceNames, type SourceName } from './sources/list.ts'
import { kinds, type ImportKind } from './sources/source.ts'

export const importStatuses = [
  'reading',
  'previewing',
  'ready',
  'running',
  'stopped',
  'completed',
  'undoing',
  'undone',
  'failed',
] as const
export type ImportStatus = (typeof importStatuses)[number]

const outcomes = ['to_create', 'to_update', 'created', 'updated', 'skipped', 'rejected', 'undone'] as const
export type Outcome = (typeof outcomes)[number]

const duplicateRules = ['skip', 'update', 'reject'] as const

/** `auto`: by what each row has. */
export const matchKeys = ['auto', 'id', 'external_id', 'sku', 'barcode', 'slug', 'email', 'phone'] as const
export type MatchKey = (typeof matchKeys)[number]

/** What records of a kind are found by, if it is not one thing alone. */
export const keysByKind: Partial<Record<ImportKind, readonly MatchKey[]>> = {
  products: ['id', 'external_id', 'sku', 'barcode', 'slug'],
  customers: ['id', 'external_id', 'email', 'phone'],
}

const count = (description: string) => integer({ min: 0 }).readonly().describe(description)

const column = object({
  name: text({ max: 1000 }).required().example('Variant SKU'),
  field: text({ max: 100 }).nullable().required().example('sku'),
})

const warning = object({
  column: text({ max: 1000 }).required().example('Price Berlin').describe('Name of the column in the file'),
  message: text({ max: 500 }).required().example('This column is not known, and is left out'),
  code: text({ max: 100 }).required().example('unknown_column').describe('The same for each column of this cause'),
})

const columnTexts = JSON.stringify(Object.fromEntries(Object.values(columnNotes).map(({ code, text }) => [code, text])))

const warnings = sql`(
  select coalesce(json_agg(json_build_object('column', each ->> 'name', 'code', each ->> 'warning',
    'message', coalesce(${columnTexts}::json ->> (each ->> 'warning'), each ->> 'warning'))), '[]')
  from json_array_elements(imports.columns) as each
  where each ->> 'warning' is not null)`

/** The rules of a column beside its field are its source's own. */
const columns = sql`(
  select coalesce(json_agg(json_build_object('name', each ->> 'name', 'field', each ->> 'field')), '[]')
  from json_array_elements(imports.columns) as each)`

// prettier-ignore
export const importJob = resource('imports', {
  id:            id('imp').readonly(),
  kind:          choice(kinds).readonly().describe('What the rows describe'),
  source:        choice(sourceNames).readonly().describe('The shop system whose columns the file has'),
  other_sources: list(choice(sourceNames), { max: sourceNames.length }).readonly()
    .describe('Other systems whose columns the file could be'),
  file_name:     text().nullable().readonly().example('products_export.csv').describe('Name of the file, if sent'),
  on_duplicate:  choice(duplicateRules).readonly()
    .describe('What happens to rows whose SKU, slug, email, code or number exists already'),
  match_by:      choice(matchKeys).readonly()
    .describe(
      'How rows match existing records; auto: by the first of id, external_id, slug, sku and barcode that a row has'),
  status:        choice(importStatuses).readonly()
    .describe('previewing: rows are checked, nothing is written; ready: waits for its start'),
  error:         text({ max: 1000 }).nullable().readonly()
    .describe('Why it failed, was stopped or could not be undone'),
  columns:       derive(list(column, { max: 250 }), columns).describe('Columns of the file with their fields'),
  warnings:      derive(list(warning, { max: 250 }), warnings)
    .describe('Columns that the import leaves out, although they could matter, and how it reads others'),
  fixes:         fixes(),
  notes:         list(text({ max: 500 }), { max: 10 }).readonly()
    .describe('Sheets of a workbook that are left out, and why'),
  rows_read:     count('Rows of the file'),
  rows_to_create: count('Rows that will be created'),
  rows_to_update: count('Rows that will be updated'),
  rows_created:  count('Rows that were created'),
  rows_updated:  count('Rows that were updated'),
  rows_skipped:  count('Rows left out because they exist already or would change nothing'),
  rows_rejected: count('Rows with errors'),
  rows_undone:   count('Rows that were undone'),
  images_pending: count('Images still to be fetched'),
  images_fetched: count('Images that were fetched'),
  images_failed: count('Images that could not be fetched'),
  created_at:    time().readonly().sortable(),
  updated_at:    time().readonly(),
  started_at:    time().nullable().readonly().describe('When it was first started'),
  finished_at:   time().nullable().readonly().describe('When it was completed, stopped or undone'),
}, {
  kind:   filter(choice(kinds), (kind) => sql`imports.kind = ${kind}`),
  status: filter(choice([...importStatuses, 'all']).default('all'), (status) =>
    (status === 'all' ? null : sql`imports.status = ${status}`)),
}, { noun: 'Import' })

const message = object({
  column: text({ max: 1000 })
    .nullable()
    .required()
    .example('Variant Price')
    .describe('Column of the cell; null if the message is about the whole row'),
  message: text({ max: 2000 }).required().example('price must be greater than 0'),
  code: text({ max: 100 }).nullable().example('not_above').describe('The cause: the same for each row that has it'),
  field: text({ max: 500 }).nullable().example('price').describe('Field of the fault; null for other remarks'),
  values: field<Record<string, string | number>>({
    schema: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
  }).describe('Values in the message, by their names'),
})

// prettier-ignore
export const importRow = resource('import_rows', {
  number:    integer({ min: 1 }).readonly().sortable().describe('Number of the row, starting at 1'),
  line:      integer({ min: 1 }).readonly().describe('Line of the file where the row begins'),
  record:    integer({ min: 1 }).readonly()
    .describe('Number of the first row of the same record, such as the product of a variant'),
  outcome:   choice(outcomes).nullable().readonly().describe('Null until the row was checked'),
  record_id: text({ max: 64 }).nullable().readonly().describe('ID of the record that was created or exists'),
  messages:  list(message, { max: 100 }).personal().readonly().describe('Errors and remarks, each with its column'),
  cells:     list(text({ max: 1_000_000 }), { max: 250 }).personal().readonly()
    .describe('Cells of the row, in the order of the columns'),
}, {
  outcome: filter(choice(outcomes), (outcome) => sql`import_rows.outcome = ${outcome}`),
}, { noun: 'Import row', defaultSort: 'number', defaultOrder: 'asc', keys: [['number', 'int']] })

const mapping = () =>
  text({ max: 20_000 })
    .describe('JSON object of column names and fields; null leaves a column out')
    .example('{"Artikel":"name"}')

/** Beside the file. */
export const newImport = createBody({
  kind: choice(kinds).required().describe('What the rows describe'),
  source: choice(sourceNames).describe('Defaults to the shop system whose columns the file has'),
  on_duplicate: choice(duplicateRules).default('skip').describe('What happens to rows that exist already'),
  sheet: text({ min: 1, max: 255 }).describe(
    'Name of the sheet of a workbook; defaults to the first visible one with rows',
  ),
  match_by: choice(matchKeys)
    .default('auto')
    .describe(
      'How rows are matched to existing records. A row without this value is rejected; auto takes what each row has',
    ),
  encoding: choice(encodings).describe('Defaults to UTF-8, or the one that the file is marked with'),
  file_name: text({ max: 255 }).nullable().describe('Name of the file, to recognize the import by'),
  mapping: mapping(),
  unmapped: choice(['reject', 'accept'])
    .default('reject')
    .describe(
      'What happens to a file without the columns that its kind requires: if accepted, it is mapped afterwards',
    ),
})

// Other fields are accepted and ignored, so that an import can be sent back as it was read.
const readonlyFields = Object.fromEntries(
  Object.entries(importJob.fields).map(([name, field]) => [name, field.readonly()]),
)

export type ImportChanges = {
  on_duplicate?: (typeof duplicateRules)[number]
  match_by?: MatchKey
  source?: SourceName
  mapping?: string
  fixes?: Fix[]
}

export const importChanges: Reader<ImportChanges> = patchBody({
  ...readonlyFields,
  on_duplicate: choice(duplicateRules).describe('What happens to rows that exist already'),
  match_by: choice(matchKeys).describe('How rows are matched to existing records'),
  source: choice(sourceNames).describe(
    'The shop system whose columns the file has; another one begins the mapping again',
  ),
  mapping: mapping(),
  fixes: fixes(),
})
