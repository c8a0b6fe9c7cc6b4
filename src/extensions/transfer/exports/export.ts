// A list as a file that an import reads: its columns, in the order of a unique column, sent while it is read.
import type { Db } from '../../../kit/database/database.ts'
import { entitiesBehind } from '../../../kit/declare/page.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { resources } from '../imports/fields.ts'
import { kinds, type ImportKind } from '../imports/sources/source.ts'
import { listExportColumns } from './columns.ts'
import { recordRows } from './kinds.ts'
import { formats, writers, type ExportFormat, type ExportRow } from './row.ts'
import { shopifyKinds, shopifyColumns, toShopifyRows, type ShopifyKind } from './shopify.ts'

const pageSize = 100

type ListRequest = { db: Db; store: Store; query: Record<string, unknown> }

/** All records that match the list's filters. */
export function exportList(kind: ImportKind, format: ExportFormat, request: ListRequest) {
  return writers[format](listExportColumns(kind), listPages(kind, request))
}

/** The same in Shopify's columns. */
export function exportForShopify(kind: ShopifyKind, request: ListRequest) {
  return writers.csv(shopifyColumns[kind], shopifyPages(kind, request))
}

async function* shopifyPages(kind: ShopifyKind, request: ListRequest): AsyncGenerator<ExportRow[]> {
  for await (const rows of listPages(kind, request)) yield toShopifyRows(kind, rows)
}

/** Each page begins behind the last record of the one before. */
async function* listPages(kind: ImportKind, { db, store, query }: ListRequest): AsyncGenerator<ExportRow[]> {
  const { by, keyOf, rowsOf } = recordRows[kind]
  for (let after: string | null = null; ;) {
    const records: object[] = await entitiesBehind(db, resources[kind], store, query, { by, after, size: pageSize })
    if (records.length > 0) yield await rowsOf(db, store.id, records)
    if (records.length < pageSize) return
    after = keyOf(records.at(-1)!)
  }
}

/** Lists that an import can read back are also sent as files. */
export const listFiles = Object.fromEntries(
  kinds.map((kind) => {
    const files = formats.map((format) => [format, (call: ListRequest) => exportList(kind, format, call)] as const)
    const isShopify = (one: string): one is ShopifyKind => shopifyKinds.some((each) => each === one)
    const forShopify = isShopify(kind) ? { 'shopify.csv': (call: ListRequest) => exportForShopify(kind, call) } : {}
    return [`/${kind}`, { ...Object.fromEntries(files), ...forShopify }]
  }),
)
