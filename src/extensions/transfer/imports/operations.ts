// An import: read, checked, started, stopped, undone.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { records, sql } from '../../../kit/database/sql.ts'
import { conflict, invalid, notFound } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { unescapeFormulas } from '../../../kit/values/csv.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { nextSlice } from '../../../kit/values/slices.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import type { RecordOf } from '../../../kit/declare/resource.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import type { Actor, FileSent } from '../../../kit/declare/route.ts'
import { missingScope } from '../../../tenancy/dispatch/errors.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { filesUnderWay, importFaults } from './errors.ts'
import { createSignReader } from './cells.ts'
import { findCustomColumns } from './customcolumns.ts'
import { readTable } from './file.ts'
import { importJob, keysByKind, type ImportStatus, type MatchKey, type newImport } from './import.ts'
import { createRecordNumbering } from './numbering.ts'
import { readPriceTerms } from './pricetax.ts'
import { isExport, mapColumns, recognizeSource } from './recognize.ts'
import { createPictureCells, storePictures } from './pictures.ts'
import { lastMapping, readMapping } from './mapping.ts'
import type { MappedColumn } from './record.ts'
import { getImportScope, type ImportKind } from './sources/source.ts'
import type { FileRow } from './table.ts'

export type Import = Entity<typeof importJob.fields>
export type ImportCaller = { store: Store; actor: Actor; scopes: ReadonlySet<string> }
type NewImport = NonNullable<typeof newImport.type>

export type ReadFile = {
  id: string
  fileName: string | null
  rows: number
  columns: MappedColumn[]
  source: string
  others: string[]
  isDecimalComma: boolean
  notes: readonly string[]
}

const rowsOfTransaction = 250

/** Importing needs the scope that creates such records one by one. */
function requireKindScope({ scopes, actor }: Pick<ImportCaller, 'scopes' | 'actor'>, kind: ImportKind): void {
  const scope = getImportScope(kind)
  if (!scopes.has(scope)) throw missingScope(scope, { isToken: actor.kind === 'client' })
}

type ImportUpload = ImportCaller & { body: NewImport; file: FileSent | null; db: StoreDatabase; isDryRun: boolean }

const maxWaiting = 4
const queues = new Map<string, { length: number; last: Promise<unknown> }>()

/** Reads the file and stores its rows. A store's files are read one at a time, so that others have their turn. */
export async function storeFile(upload: ImportUpload): Promise<ReadFile> {
  const { id } = upload.store
  requireKindScope(upload, upload.body.kind)
  const queue = queues.get(id) ?? { length: 0, last: Promise.resolve() }
  if (queue.length > maxWaiting) throw filesUnderWay()
  queues.set(id, queue)
  queue.length++
  const turn = queue.last.then(() => readFile(upload))
  queue.last = turn.catch(() => {})
  return turn.finally(() => {
    if (--queue.length === 0) queues.delete(id)
  })
}

/** In several transactions: it may be large. A dry run only reads it. */
async function readFile({ store, actor, body, file, db, isDryRun }: ImportUpload): Promise<ReadFile> {
  if (!file) throw invalid(fault('file', importFaults.table_required))
  if (file.bytes.length < 2) throw invalid(fault('file', importFaults.file_empty))
  const { columns: names, isDecimalComma, isCsv, rows, notes = [], pictures } = await readTable(file.bytes, body)
  const custom = await findCustomColumns(db, store, body.kind)
  const own = readMapping(body.kind, body.mapping, names, custom)
  const { source, others } = recognizeSource(body.kind, names, body.source)
  requireKeyOfKind(body.kind, body.match_by)
  const terms = await readPriceTerms(db, store)
  const mapping = { ...(await lastMapping(db, store.id, body.kind, names)), ...own }
  const columns = mapColumns(source, names, mapping, { terms, custom, isOpen: body.unmapped === 'accept' })
  const id = newUuid()
  const read = {
    id,
    fileName: body.file_name ?? file.name,
    columns,
    source: source.name,
    others,
    isDecimalComma,
    notes,
  }
  if (!isDryRun) await db.transaction(async (tx) => insertImport(tx, store.id, body, read, actor))
  const numbering = createRecordNumbering(source, columns)
  const signs = createSignReader()
  const pictureCells = pictures && createPictureCells(pictures, columns)
  let count = 0
  let batch: (FileRow & { number: number; record: number })[] = []
  const flush = async () => {
    const full = batch
    batch = []
    if (isDryRun) await nextSlice()
    else if (full.length > 0) await db.transaction(async (tx) => insertRows(tx, store.id, id, full))
  }
  try {
    const isEscaped = isCsv && isExport(source.name, names)
    for await (const row of rows) {
      if (isDecimalComma) signs.read(row.cells)
      const own = isEscaped ? row.cells.map(unescapeFormulas) : row.cells
      const cells = pictureCells?.replace(own) ?? own
      count++
      batch.push({ ...row, cells, number: count, record: numbering.numberRow(row.cells, count) })
      if (batch.length === rowsOfTransaction) await flush()
    }
    await flush()
    if (count === 0) throw invalid(fault('file', importFaults.file_empty))
    if (pictureCells && !isDryRun) await storePictures(db, store.id, id, pictures, pictureCells.names)
    if (!isDryRun) await mergeRecords(db, store.id, id, numbering.merged())
  } catch (error) {
    if (!isDryRun) await db.transaction(async (tx) => removeImport(tx, store.id, id))
    throw error
  }
  return { ...read, rows: count, isDecimalComma: isDecimalComma && !signs.arePoints() }
}

function insertImport(
  tx: Tx,
  storeId: string,
  { kind, on_duplicate, match_by, mapping }: NewImport,
  { id, fileName, columns, source, others, isDecimalComma, notes }: Omit<ReadFile, 'rows'>,
  actor: Actor,
): void {
  tx.later(sql`
    insert into imports (store_id, id, kind, source, other_sources, file_name, on_duplicate, match_by, columns, mapping,
      is_decimal_comma, notes, status, actor, created_at, updated_at)
    values (${storeId}, ${id}, ${kind}, ${source}, ${JSON.stringify(others)}, ${fileName}, ${on_duplicate}, ${match_by},
      ${JSON.stringify(columns)}, ${mapping ?? '{}'}, ${isDecimalComma}, ${JSON.stringify(notes)}, 'reading',
      ${JSON.stringify(actor)}, ${tx.now}, ${tx.now})`)
}

function insertRows(
  tx: Tx,
  storeId: string,
  id: string,
  rows: readonly (FileRow & { number: number; record: number })[],
): void {
  tx.later(sql`
    insert into import_rows (store_id, import_id, number, line, record, cells)
    select ${storeId}, ${id}::uuid, number, line, record, cells
    from ${records('row', { number: 'int', line: 'int', record: 'int', cells: 'json' }, rows)}`)
}

/** Rows of one record can be far apart, such as a variation before its parent. */
async function mergeRecords(
  db: StoreDatabase,
  storeId: string,
  id: string,
  merges: readonly { former: number; target: number }[],
): Promise<void> {
  for (let at = 0; at < merges.length; at += rowsOfTransaction) {
    await db.transaction(async (tx) => {
      tx.later(sql`
        update import_rows
        set record = merged.target
        from ${records('merged', { former: 'int', target: 'int' }, merges.slice(at, at + rowsOfTransaction))}
        where store_id = ${storeId}
          and import_id = ${id}::uuid
          and record = merged.former`)
    })
  }
}

function removeImport(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    delete from imports
    where store_id = ${storeId}
      and id = ${id}`)
}

/** The rows are stored: from now on they are checked. */
export async function createImport(
  tx: Tx,
  { store, actor }: ImportCaller,
  body: NewImport,
  read: ReadFile,
  isDryRun: boolean,
): Promise<RecordOf<Import>> {
  const { id, rows } = read
  if (isDryRun) insertImport(tx, store.id, body, read, actor)
  tx.later(sql`
    update imports
    set status = 'previewing', rows_read = ${rows}, notes = ${JSON.stringify(read.notes)},
        is_decimal_comma = ${read.isDecimalComma}, due_at = ${tx.now}, updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}`)
  return findRecord(tx, importJob, store.id, id)
}

/** Starts an import that was previewed, or goes on with one that was stopped. */
export async function startImport(tx: Tx, caller: ImportCaller, id: string): Promise<RecordOf<Import>> {
  await lock(tx, caller, id, ['ready', 'stopped'], 'started')
  return become(tx, caller, id, 'running')
}

/** Records that were written stay; the others wait. */
export async function stopImport(tx: Tx, caller: ImportCaller, id: string): Promise<RecordOf<Import>> {
  await lock(tx, caller, id, ['running'], 'stopped')
  return become(tx, caller, id, 'stopped')
}

export async function undoImport(tx: Tx, caller: ImportCaller, id: string): Promise<RecordOf<Import>> {
  await lock(tx, caller, id, ['completed', 'stopped', 'failed'], 'undone')
  return become(tx, caller, id, 'undoing')
}

export async function retryImages(tx: Tx, caller: ImportCaller, id: string): Promise<RecordOf<Import>> {
  const { store } = caller
  await lock(tx, caller, id, ['completed'], 'retried')
  const failures = await tx.rows(sql`
    update import_images
    set status = 'pending', error = null
    where store_id = ${store.id}
      and import_id = ${id}
      and status = 'failed'
    returning url`)
  tx.later(sql`
    update imports
    set images_pending = images_pending + ${failures.length}, images_failed = images_failed - ${failures.length},
        due_at = ${tx.now}, updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}`)
  return findRecord(tx, importJob, store.id, id)
}

/** Without keys of its own, a kind has one thing that its records are found by. */
export function requireKeyOfKind(kind: ImportKind, key: MatchKey): void {
  if (key !== 'auto' && !keysByKind[kind]?.includes(key))
    throw invalid(fault('match_by', importFaults.key_not_of_kind, { kind }))
}

type CurrentImport = Pick<
  Import,
  'kind' | 'status' | 'source' | 'on_duplicate' | 'match_by' | 'fixes' | 'rows_read'
> & { columns: MappedColumn[]; mapping: Record<string, string | null> }

export async function lock(
  tx: Tx,
  caller: ImportCaller,
  id: string,
  statuses: readonly ImportStatus[],
  action: string,
): Promise<CurrentImport> {
  const current = await tx.one<CurrentImport>(sql`
    select kind, status, source, on_duplicate, match_by, fixes, rows_read, columns, mapping
    from imports
    where store_id = ${caller.store.id}
      and id = ${id}
    for no key update`)
  if (!current) throw notFound(importJob.noun)
  requireKindScope(caller, current.kind)
  if (!statuses.includes(current.status)) {
    throw conflict(`An import that is ${current.status} cannot be ${action}. It must be ${statuses.join(' or ')}`)
  }
  return current
}

/** Its writes belong to the credential that started it. */
async function become(
  tx: Tx,
  { store, actor }: ImportCaller,
  id: string,
  status: ImportStatus,
): Promise<RecordOf<Import>> {
  const isDue = status !== 'stopped'
  tx.later(sql`
    update imports
    set status = ${status}, error = null, actor = ${JSON.stringify(actor)}, due_at = ${isDue ? tx.now : null},
        updated_at = ${tx.now},
        started_at = coalesce(started_at, case when ${status === 'running'} then ${tx.now}::timestamptz end)
    where store_id = ${store.id}
      and id = ${id}`)
  return findRecord(tx, importJob, store.id, id)
}
