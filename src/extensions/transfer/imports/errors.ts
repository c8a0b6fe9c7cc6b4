import type { MessageKey } from '../../../dashboard/framework/messages.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { sentences } from '../../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const importFaults = sentences({
  table_required:    'is required: send a CSV, XLSX, ODS or JSONL file as multipart/form-data',
  file_empty:        'has no rows',
  is_archive:        'is an archive or a workbook that cannot be read; save it as XLSX, ODS or CSV (UTF-8)',
  is_broken:         'is damaged; open it in your spreadsheet program, save it again, and send that file',
  has_password:      'has a password; save it without one, and send that file',
  unpacked_too_large: 'is more than {limit} MB once it is unpacked; send its table as CSV, or in parts',
  archive_entries:   'has more than {limit} files in it',
  archive_path:      'has a file whose path leads out of the archive',
  archive_twice:     'has the file {name} twice',
  archive_tables:    'must have one table (CSV, XLSX, ODS or JSONL) beside its pictures; it has {count}',
  picture_too_large: 'has the picture {name}, which is larger than {limit} MB',
  sheet_unknown:     'names no sheet of the workbook; it has {names}',
  formula_without_value: 'has a formula without a value in {cell} of {sheet}; save it in a spreadsheet program first',
  is_binary:         'is not a text file',
  is_document:       'is a document or an image, not a table',
  is_web_page:       'is a web page, not a table; sign in to the other system, and export the file again',
  other_kind:        'must be {kind} for this file',
  other_source:      'does not fit: the file has the columns of {source}',
  column_named_twice: 'names the column {name} twice',
  not_utf8:          'is not UTF-8 (line {line}, column {column}); save it as UTF-8, or send encoding=windows-1252',
  not_csv:           'cannot be read as CSV at line {line}: {reason}',
  not_jsonl:         'is not a JSON object on line {line}',
  not_storable:      'has a value on line {line} with a NUL character, a broken character, or more than 32 levels',
  header_repeated:   'has the column {name} twice',
  too_many_columns:  'has more than {limit} columns',
  too_many_rows:     'has more than {limit} rows',
  row_too_long:      'has a row of more than {limit} characters at line {line}',
  columns_unknown:   'has no column that is recognized; map its columns with mapping',
  column_missing:    'has no column for {field}',
  field_unknown:     'names an unknown field: {field}',
  field_repeated:    'maps two columns to {field}',
  column_unknown:    'names a column that the file does not have: {name}',
  agent_without_channel: 'requires channel to be agent',
  parent_missing: 'names a product that is not in the file',
  product_unknown: 'belongs to no product or variant; a new product needs a name',
  key_not_of_kind:   'is not one by which {kind} are found',
  total_differs:     'is {total}, but items, discount, shipping and tax add up to {sum}',
  mapping_not_json:  'must be a JSON object of column names and fields',
})

/** What the dashboard says of a file. */
export const faultMessages = {
  table_required: 'fault_required',
  is_archive: 'fault_file_archive',
  is_binary: 'fault_file_picture',
  is_document: 'fault_file_picture',
  is_web_page: 'fault_file_page',
  other_kind: 'fault_file_kind',
  other_source: 'fault_file_source',
  key_not_of_kind: 'fault_key_kind',
  is_broken: 'fault_file_broken',
  has_password: 'fault_file_password',
  unpacked_too_large: 'fault_file_unpacked',
  archive_entries: 'fault_file_archive',
  archive_path: 'fault_file_archive',
  archive_twice: 'fault_file_archive',
  archive_tables: 'fault_file_tables',
  picture_too_large: 'fault_file_picture_large',
  sheet_unknown: 'fault_sheet_unknown',
  formula_without_value: 'fault_file_formula',
  not_utf8: 'fault_file_encoding',
  not_csv: 'fault_file_csv',
  not_jsonl: 'fault_file_csv',
  file_empty: 'fault_file_empty',
  columns_unknown: 'fault_file_columns',
  column_missing: 'fault_column_missing',
  header_repeated: 'fault_column_twice',
  field_repeated: 'fault_field_twice',
} satisfies Partial<Record<keyof typeof importFaults, MessageKey>>

export function filesUnderWay(): ApiError {
  return new ApiError(429, 'RATE_LIMITED', 'Other files of this store are being read. Try again in 1 second', {
    headers: { 'retry-after': '1' },
  })
}

export const accessEnded = 'Stopped: the API key, app or person that started it no longer has access'
