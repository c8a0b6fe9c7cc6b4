// The rows of a product as one product has them, whatever the system: one for each variant, its own rows first.
import type { FieldValue, MappedRow } from './record.ts'

/** True for a row of a variant alone, by what its file says of it. */
export function isVariationRow({ values }: MappedRow): boolean {
  return String(values.get('row_type')?.value ?? '').includes('variation')
}

export function arrangeRows(rows: readonly MappedRow[]): MappedRow[] {
  const variations = nameVariations(sumLocations(rows)).map(readOptionText)
  return [...variations.filter((row) => !isVariationRow(row)), ...variations.filter(isVariationRow)]
}

/** The stock of all locations, each of which has rows of its own. */
function sumLocations(rows: readonly MappedRow[]): readonly MappedRow[] {
  if (!rows.some(({ values }) => values.has('location'))) return rows
  const places = Map.groupBy(rows, ({ values }) =>
    ['sku', 'option1_value', 'option2_value', 'option3_value'].map((name) => values.get(name)?.value).join('\n'),
  )
  return [...places.values()].map((same) => {
    const [first] = same as [MappedRow]
    const stocks = same.flatMap(({ values }) => values.get('stock_quantity') ?? [])
    const numbers = stocks.map(({ value }) => value).filter((value) => typeof value === 'number')
    if (numbers.length === 0) return first
    const stock = { ...stocks[0]!, value: numbers.reduce((sum, one) => sum + one, 0) }
    return withValues(first, { stock_quantity: stock })
  })
}

/** `sku=A-S,size=S|sku=A-M,size=M`: the row of a product says which others are its variants, and their options. */
function nameVariations(rows: readonly MappedRow[]): readonly MappedRow[] {
  const list = rows.flatMap(({ values }) => values.get('configurable_variations') ?? [])[0]
  if (!list) return rows
  const options = new Map(
    String(list.value)
      .split('|')
      .map((one) => one.split(',').map((part): [string, string] => split(part)))
      .map((parts) => [parts.find(([name]) => name === 'sku')?.[1], parts.filter(([name]) => name !== 'sku')] as const),
  )
  return rows.map((row) => {
    const own = options.get(String(row.values.get('sku')?.value))
    if (!own || row.values.has('configurable_variations')) return row
    const { column } = row.values.get('sku')!
    const values = own.flatMap(([name, value], at) => [
      [`option${at + 1}_name`, { value: name, column }] as const,
      [`option${at + 1}_value`, { value, column }] as const,
    ])
    return withValues(row, { ...Object.fromEntries(values), row_type: { value: 'variation', column } })
  })
}

/** `[S]Size=Small,[CS]Color=Red:#f00`: the name of a variant's row has its options. */
function readOptionText(row: MappedRow): MappedRow {
  const name = row.values.get('name')
  const text = String(name?.value ?? '')
  if (!isVariationRow(row) || !/^\[\w+\][^=]+=/.test(text)) return row
  const values = text.split(/,(?=\[\w+\])/).flatMap((part, at) => {
    const [title, value] = split(part.replace(/^\[\w+\]/, ''))
    return [
      [`option${at + 1}_name`, { ...name!, value: title }] as const,
      [`option${at + 1}_value`, { ...name!, value: value.replace(/:#\w+$/, '') }] as const,
    ]
  })
  return withValues(row, Object.fromEntries(values))
}

function split(part: string): [string, string] {
  const at = part.indexOf('=')
  return [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}

function withValues(row: MappedRow, values: Record<string, FieldValue>): MappedRow {
  return { ...row, values: new Map([...row.values, ...Object.entries(values)]) }
}

/** The names of a product's options: in the first row that has them, or in the product's own. */
export function listOptionNames(rows: readonly MappedRow[]): [number, string][] {
  return [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => {
    const name = rows.flatMap(({ values }) => values.get(`option${n}_name`) ?? [])[0]
    return name ? [[n, String(name.value)]] : []
  })
}

export type OptionValue = { option_title: string; value: string }

/** The options of a variant; those beyond the third are one with it. `isAny`: one of them may have any value. */
export function readOptions(
  { values }: MappedRow,
  names: ReadonlyMap<number, string>,
): { options: OptionValue[]; isAny: boolean } {
  const ownNames = [1, 2, 3, 4, 5, 6, 7, 8].filter((n) => values.has(`option${n}_name`))
  const isTyped = values.has('row_type')
  const places = [1, 2, 3, 4, 5, 6, 7, 8].filter(
    (n) =>
      values.has(`option${n}_value`) || (isTyped && isVariationRow({ values } as MappedRow) && ownNames.includes(n)),
  )
  const all = places.map((n): OptionValue => {
    const name = values.get(`option${n}_name`)?.value ?? names.get(n)
    return {
      option_title: String(name ?? (n === 1 ? 'Variant' : `Option ${n}`)),
      value: String(values.get(`option${n}_value`)?.value ?? 'Any'),
    }
  })
  const isAny = places.some((n) => !values.has(`option${n}_value`))
  if (all.length <= 3) return { options: all, isAny }
  const rest = all.slice(2)
  const join = (pick: (one: OptionValue) => string) => rest.map(pick).join(' / ')
  const last = { option_title: join((one) => one.option_title), value: join((one) => one.value) }
  return { options: [...all.slice(0, 2), last], isAny }
}
