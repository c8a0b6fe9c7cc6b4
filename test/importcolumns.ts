// The columns of the files that shops move in with, as their systems write them.
import { listMappableFields } from '../src/extensions/transfer/imports/fields.ts'
import { sources } from '../src/extensions/transfer/imports/sources/list.ts'
import type { ImportKind } from '../src/extensions/transfer/imports/sources/source.ts'

export type { ImportKind }

/** `required`: those by which a file is recognized, or without which it is refused. */
export type SourceColumns = { required: readonly string[]; others: readonly string[] }

// prettier-ignore
const own: Record<ImportKind, string[]> = {
  products:  ['name', 'price'],
  customers: ['name', 'email'],
  orders:    ['order_number', 'item_name', 'item_price'],
  discounts: ['code', 'type', 'value'],
  redirects: ['path', 'target'],
}

export function sourceColumns(kind: ImportKind): SourceColumns[] {
  const fields = listMappableFields(kind)
  const systems = sources.filter((source) => source.kind === kind)
  return [
    { required: own[kind], others: fields.filter((name) => name !== 'row_type') },
    // An export of Stoa says of each row what it is.
    { required: ['row_type', ...own[kind]], others: fields },
    ...systems.map(({ recognizes, columns }) => ({
      required: kind === 'orders' && columns.item_price ? [...recognizes, 'item_price'] : recognizes,
      others: Object.keys(columns)
        .map((names) => names.split(' | ')[0]!)
        .flatMap((name) =>
          name.includes('{')
            ? [1, 2].map((n) => name.replace('{n}', String(n)).replace('{any}', 'Berlin').replace('{currency}', 'USD'))
            : name,
        )
        .filter((name, place, all) => all.indexOf(name) === place),
    })),
  ]
}
