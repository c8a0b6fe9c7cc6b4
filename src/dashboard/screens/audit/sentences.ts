// What changes of the audit log say: `Changed price of product Mug (10 → 12)`. Records have the names that their
// tables declare; personal ones stay out, because the log is read by people who may not see customers.
import type { AnyField } from '../../../kit/declare/field.ts'
import { join, raw, sql } from '../../../kit/database/sql.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import type { Language } from '../../../kit/values/language.ts'
import { getNounTable, getTableNoun, nounNames } from '../../../developer/auditlog/nouns.ts'
import type { ChangeView } from '../../../developer/auditlog/view.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'
import type { PageContext } from '../../framework/screen.ts'
import { fieldName } from './fieldnames.ts'

/** Names of records by their public IDs. */
export type RecordNames = ReadonlyMap<string, string>
type LoggedRecord = Pick<ChangeView, 'resource' | 'id'>

/** The first that a table has. */
const nameFields = ['order_number', 'draft_number', 'name', 'title', 'code', 'url', 'from_path'] as const
const maxNamed = 100

/** With one statement for all kinds of records. */
export async function loadRecordNames(
  { db, store }: Pick<PageContext, 'db' | 'store'>,
  records: readonly LoggedRecord[],
): Promise<RecordNames> {
  const selects = [...Map.groupBy(records.slice(0, maxNamed), ({ resource }) => resource)].flatMap(([noun, some]) => {
    const { table, fields, prefix } = getTableNoun(getNounTable(noun) ?? noun)
    const columns = nameFields.filter((name) => isPublicColumn(fields[name]))
    const ids = some.flatMap(({ id }) => (prefix && toUuid(prefix, id)) || [])
    if (!prefix || columns.length === 0 || ids.length === 0) return []
    const name = columns.map((column) => `${table}.${column}::text`).join(', ')
    return sql`
    select ${prefix}::text as prefix, ${raw(`${table}.id::text`)} as id, coalesce(${raw(name)}) as name
    from ${raw(table)}
    where ${raw(`${table}.store_id`)} = ${store.id}
      and ${raw(`${table}.id`)} = any(${ids}::uuid[])`
  })
  if (selects.length === 0) return new Map()
  const rows = await db.rows<{ prefix: string; id: string; name: string | null }>(join(selects, ' union all '))
  return new Map(rows.flatMap(({ prefix, id, name }) => (name === null ? [] : [[publicId(prefix, id), name] as const])))
}

function isPublicColumn(field: AnyField | undefined): boolean {
  return field !== undefined && !field.spec.isPersonal && field.spec.expression === undefined
}

/** `product Mug`, also of a record that is gone; without a name, its kind alone. */
export function nameRecord(
  context: Pick<PageContext, 't' | 'language'>,
  change: LoggedRecord & Partial<Pick<ChangeView, 'before' | 'after'>>,
  names: RecordNames,
): string {
  const { resource, id, before, after } = change
  const { fields } = getTableNoun(getNounTable(resource) ?? resource)
  const cells = { ...before, ...after }
  const own = nameFields.find((field) => isPublicColumn(fields[field]) && cells[field] != null)
  const name = names.get(id) ?? (own && String(cells[own]))
  const shown = resource === 'order' && name ? `#${name}` : name
  return [messageOr(context.t, `noun_${resource}`, resource), shown].filter(Boolean).join(' ')
}

const mergeNoun = 'customer_merge'

/** A merge takes a customer away, and its undo brings them back. */
const isRestored = ({ resource, before }: ChangeView) => resource === 'customer' && before === null

/** The change that an entry is about; the others follow from it. */
export function findMainChange(
  { changes, operation }: { changes: readonly ChangeView[]; operation: string | null },
  id?: string,
): ChangeView {
  const ending = operation?.toLowerCase() ?? ''
  const isMerge = (one: ChangeView) =>
    one.resource === mergeNoun && (one.before === null || changes.some((other) => isRestored(other)))
  const rank = ({ resource, before, after }: ChangeView) => {
    if (ending.endsWith(resource.replaceAll('_', ''))) return 0
    if (nounNames.some((noun) => resource.startsWith(`${noun}_`))) return 3
    return before === null || after === null ? 1 : 2
  }
  return (
    changes.find(isMerge) ?? changes.find((one) => one.id === id) ?? changes.toSorted((a, b) => rank(a) - rank(b))[0]!
  )
}

export function describeChange(context: PageContext, change: ChangeView, names: RecordNames): string {
  const { t, language } = context
  if (change.resource === mergeNoun) return t(change.before === null ? 'change_merged' : 'change_merge_undone')
  const record = inSentence(language, nameRecord(context, change, names))
  if (change.before === null) return t('change_made_of', { record })
  if (change.after === null) return t('change_gone_of', { record })
  const fields = listChangedFields(context, change)
  if (fields === '') return t('change_any', { record })
  return t('change_of', { fields, record }) + describeValues(context, change)
}

/** On the record's own page, which says already which record it is. */
export function describeOwnChange(context: PageContext, change: ChangeView): string {
  const { t } = context
  if (change.before === null) return capitalize(t('change_made'))
  if (change.after === null) return capitalize(t('change_gone'))
  const fields = listChangedFields(context, change)
  return fields === ''
    ? capitalize(t('change_changed'))
    : t('change_fields', { fields }) + describeValues(context, change)
}

const maxFields = 4
const untold = ['updated_at', 'search_text', 'version']

function listChangedFields({ t, language }: PageContext, { after, masked }: ChangeView): string {
  const names = [...Object.keys(after ?? {}), ...masked].filter((name) => !untold.includes(name))
  return listFields(t, language, names)
}

/** `price, stock and 2 more`, as within a sentence. */
export function listFields(t: Translate, language: Language, names: readonly string[]): string {
  const words = names.map((name) => inSentence(language, fieldName(t, name)))
  if (words.length <= maxFields) return new Intl.ListFormat(language).format(words)
  return `${words.slice(0, maxFields).join(', ')} ${t('and_more', { count: words.length - maxFields })}`
}

const maxValue = 40

/** ` (10 → 12)` of one field with short values. */
function describeValues(context: PageContext, { before, after, masked }: ChangeView): string {
  const names = Object.keys(after ?? {}).filter((name) => !untold.includes(name))
  if (names.length !== 1 || masked.length > 0) return ''
  const [from, to] = [before, after].map((cells) => formatCell(context, cells, names[0]!))
  const isShort = [before, after].every((cells) => typeof cells?.[names[0]!] !== 'object' || cells[names[0]!] === null)
  return isShort && from!.length <= maxValue && to!.length <= maxValue ? ` (${from} → ${to})` : ''
}

export function formatCell(
  { t, formatTime }: PageContext,
  values: Record<string, unknown> | null,
  name: string,
): string {
  const value = values?.[name]
  if (value === undefined || value === null) return '–'
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (typeof value === 'string' && isoTime.test(value)) return formatTime(new Date(value))
  if (typeof value === 'object') return JSON.stringify(value)
  // A choice has the text that lists have for it.
  return messageOr(t, `${name}_${String(value)}`, String(value))
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** German nouns stay capitalized, and so do API key and SKU. */
function inSentence(language: Language, text: string): string {
  return language === 'de' || !/^\p{Lu}\p{Ll}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
