// Changes of an import that waits for its start: it is previewed again.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import type { RecordOf } from '../../../kit/declare/resource.ts'
import { requireQuota, type RateLimiter } from '../../../platform/ratelimit/ratelimit.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkFixes } from './fixes.ts'
import { importJob, type ImportChanges } from './import.ts'
import { findCustomColumns } from './customcolumns.ts'
import { readMapping } from './mapping.ts'
import { findGroupColumn } from './numbering.ts'
import { lock, requireKeyOfKind, type Import, type ImportCaller } from './operations.ts'
import { readPriceTerms } from './pricetax.ts'
import { mapColumns, recognizeSource } from './recognize.ts'

// Each change writes every row again. The largest file can be changed at once.
const maxRowsPerMinute = 1_000_000

async function countPreview(tx: Tx, store: Store, limiter: RateLimiter, rows: number): Promise<void> {
  requireQuota(await limiter.hit(`imports:${store.id}`, maxRowsPerMinute, { cost: rows }), tx.now)
}

export async function changeImport(
  tx: Tx,
  { limiter, ...caller }: ImportCaller & { limiter: RateLimiter },
  id: string,
  { mapping, ...changes }: ImportChanges,
): Promise<RecordOf<Import>> {
  const { store } = caller
  const current = await lock(tx, caller, id, ['previewing', 'ready'], 'changed')
  const { on_duplicate, match_by, fixes, source: sourceName } = { ...current, ...changes }
  const isSame = on_duplicate === current.on_duplicate && match_by === current.match_by
  const isMapped = mapping !== undefined || changes.fixes !== undefined
  if (!isMapped && isSame && sourceName === current.source) return findRecord(tx, importJob, store.id, id)
  requireKeyOfKind(current.kind, match_by)
  await countPreview(tx, store, limiter, current.rows_read)
  const names = current.columns.map(({ name }) => name)
  const custom = await findCustomColumns(tx, store, current.kind)
  const own = readMapping(current.kind, mapping, names, custom)
  checkFixes(fixes, names)
  const mappings = { ...(sourceName === current.source ? current.mapping : {}), ...own }
  const terms = await readPriceTerms(tx, store)
  const { source, others } = recognizeSource(current.kind, names, sourceName)
  const columns = mapColumns(source, names, mappings, { terms, fixes, custom, isOpen: true })
  tx.later(sql`
    update imports
    set on_duplicate = ${on_duplicate}, match_by = ${match_by}, source = ${source.name},
        other_sources = ${JSON.stringify(others)}, mapping = ${JSON.stringify(mappings)},
        columns = ${JSON.stringify(columns)}, fixes = ${JSON.stringify(fixes)}, status = 'previewing',
        rows_to_create = 0, rows_to_update = 0, rows_skipped = 0, rows_rejected = 0, position = 0,
        due_at = ${tx.now}, updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}`)
  tx.later(sql`
    update import_rows
    set outcome = null, messages = '[]'
    where store_id = ${store.id}
      and import_id = ${id}`)
  const place = findGroupColumn(source, columns)
  if (place >= 0 && place !== findGroupColumn(source, current.columns)) regroupRows(tx, store.id, id, place)
  return findRecord(tx, importJob, store.id, id)
}

/** Rows with the same text in the column are one record now. */
function regroupRows(tx: Tx, storeId: string, id: string, place: number): void {
  tx.later(sql`
    update import_rows
    set record = regrouped.first
    from (
      select number, min(number) over (partition by coalesce(nullif(lower(trim(cells ->> ${place}::int)), ''),
        'number ' || number)) as first
      from import_rows
      where store_id = ${storeId}
        and import_id = ${id}) as regrouped
    where import_rows.store_id = ${storeId}
      and import_rows.import_id = ${id}
      and import_rows.number = regrouped.number`)
}
