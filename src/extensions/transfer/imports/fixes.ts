// Fixes of all rows of one cause, or of one column. They are kept with the import, and hold in its preview and its run.
import { list, object } from '../../../kit/declare/composites.ts'
import { choice, text } from '../../../kit/declare/scalars.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { importFaults } from './errors.ts'
import type { MappedColumn } from './record.ts'
import type { RowMessage } from './notes.ts'

const fixActions = ['replace', 'skip', 'keep', 'convert'] as const

export const maxFixes = 100

// prettier-ignore
const fix = object({
  action: choice(fixActions).required().describe(
    'replace: reads `to` in place of `from`; skip: leaves out the records with this code; keep: confirms a warning; ' +
    'convert: adds or takes out the tax of the store'),
  column: text({ max: 1000 }).nullable().example('Status').describe('Name of the column in the file'),
  from:   text({ max: 1000 }).example('enabled').describe('Text of a whole cell, in any case'),
  to:     text({ max: 1000 }).example('active').describe('Text in its place; empty for none'),
  code:   text({ max: 100 }).example('not_above').describe('Code of the message, for skip'),
  field:  text({ max: 500 }).nullable().example('price').describe('Field of the message, for skip; null for any'),
})

export const fixes = () => list(fix, { max: maxFixes }).describe('Fixes of all rows of a cause, and of columns')
export type Fix = NonNullable<typeof fix.type>['value']

/** Each names a column of the file, and has what its action needs. */
export function checkFixes(all: readonly Fix[], columns: readonly string[]): void {
  const faults = all.flatMap(({ action, column = null, from, code }, at): Fault[] => [
    ...(column === null && action !== 'skip' ? [fault(`fixes.${at}.column`, generalFaults.required)] : []),
    ...(column !== null && !columns.includes(column)
      ? [fault(`fixes.${at}.column`, importFaults.column_unknown, { name: column.slice(0, 100) })]
      : []),
    ...(action === 'replace' && from === undefined ? [fault(`fixes.${at}.from`, generalFaults.required)] : []),
    ...(action === 'skip' && code === undefined ? [fault(`fixes.${at}.code`, generalFaults.required)] : []),
  ])
  if (faults.length > 0) throw invalid(...faults)
}

/** The column with its replacements as values, and without a warning that was confirmed. */
export function fixColumn(column: MappedColumn, all: readonly Fix[]): MappedColumn {
  const own = all.filter((one) => one.column === column.name)
  const replacements = own.filter(({ action }) => action === 'replace')
  const values = replacements.map(({ from = '', to = '' }) => [from.trim().toLowerCase(), to] as const)
  const { warning, ...rest } = column
  const isKept = own.some(({ action }) => action === 'keep')
  return {
    ...rest,
    ...(values.length > 0 ? { values: { ...column.values, ...Object.fromEntries(values) } } : {}),
    ...(warning !== undefined && !isKept ? { warning } : {}),
  }
}

/** The message of a record that is left out because of it. */
export function findSkipCause(all: readonly Fix[], messages: readonly RowMessage[]): RowMessage | undefined {
  const skips = all.filter(({ action }) => action === 'skip')
  return messages.find((message) =>
    skips.some(
      ({ code, column = null, field = null }) =>
        code === message.code && column === message.column && (field === null || field === message.field),
    ),
  )
}
