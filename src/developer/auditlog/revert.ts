// Undoing a write by the id of its request: each record is brought back by the operations that change such records, so
// with their checks, their events and an entry in the audit log, which can be undone as well.
import type { Tx } from '../../kit/database/database.ts'
import { join, list, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { ApiError, conflict, notFound } from '../../kit/values/errors.ts'
import { missingScope } from '../../tenancy/dispatch/errors.ts'
import { followStore } from '../../tenancy/stores/followups.ts'
import { notRevertible, type Obstacle } from './errors.ts'
import { publicId, toUuid } from '../../kit/values/ids.ts'
import { mergeChanges, type RowChange, type PersonalCells } from './rowchange.ts'
import { getTableNoun, getScopeNoun } from './nouns.ts'
import { explainObstacles } from './obstacles.ts'
import { planRevert, type RevertStep } from './plan.ts'
import { restorePlacement } from './placements.ts'
import { placeOfFault, revertBulk } from './bulk.ts'
import { revertProduct } from './products.ts'
import type { UndoCall, Undo } from '../../tenancy/tables/table.ts'
import { fieldsView, toPublicRecordId } from './view.ts'
import { isTranslated, restoreTranslation } from './translations.ts'
import { restoreCategory } from '../../commerce/catalog/categories.ts'
import { noteUndo } from '../../tenancy/audit/operations.ts'

/** A product that only regained its category counts as moved. */
type RevertAction = 'changed' | 'moved' | 'removed' | 'restored'
export type RevertResult = { resource: string; id: string; action: RevertAction }

type RevertEntry = {
  id: string
  request_id: string
  request_uuid: string | null
  changes: RowChange[]
  personal: PersonalCells[] | null
  reverted_by: string | null
}

export async function revertChange(call: UndoCall, requestId: string): Promise<RevertResult[]> {
  const { tx, store } = call
  advisoryLock(tx, `undo ${store.id}`)
  const entries = await listRevertEntries(tx, store.id, requestId)
  const changes = mergeChanges(entries.flatMap((entry) => entry.changes))
  if (changes.length === 0) throw notFound('Change')
  const personal = entries.flatMap((entry) => entry.personal ?? [])
  const isReverted = entries.some(({ reverted_by }) => reverted_by !== null)
  const { steps, blocked } = await planRevert(tx, store, { changes, personal, isReverted })
  if (blocked.length > 0) throw notRevertible(await explainObstacles(tx, store.id, entries.at(-1)!.id, blocked))
  for (const { change } of steps) requireScope(call, change)
  const results = await takeAll(call, steps)
  markReverted(call, entries)
  return results
}

/** Removes the records that a request has made in a table, unless they are used or were changed since. */
export async function removeUnused(call: UndoCall, requestId: string, table: string): Promise<void> {
  const { tx, store } = call
  const entries = await listRevertEntries(tx, store.id, requestId)
  const ownChanges = mergeChanges(entries.flatMap((entry) => entry.changes)).filter(
    (change) => change.table === table && change.before === null,
  )
  if (ownChanges.length === 0) return
  const planFor = (changes: RowChange[]) => planRevert(tx, store, { changes, personal: [], isReverted: false })
  const { blocked } = await planFor(ownChanges)
  const blockedIds = new Set(blocked.map(({ change }) => change.id))
  const others = ownChanges.filter(({ id }) => !blockedIds.has(id))
  if (others.length > 0) await takeAll(call, (await planFor(others)).steps)
}

async function takeAll(call: UndoCall, steps: readonly RevertStep[]): Promise<RevertResult[]> {
  const allResults: RevertResult[] = []
  for (const step of steps) {
    const results = await take(call, step)
    // A restored collection is one event, including its products.
    const ids = new Set(allResults.map(({ id }) => id))
    allResults.push(...results.filter(({ id }) => !ids.has(id)))
  }
  return allResults
}

/** The entries of one request. An id that a caller reused for several requests matches none. */
async function listRevertEntries(tx: Tx, storeId: string, requestId: string): Promise<RevertEntry[]> {
  const entries = await tx.rows<RevertEntry>(sql`
    select id, request_id, request_uuid, changes, personal, reverted_by
    from audit_log
    where store_id = ${storeId}
      and (request_id = ${requestId} or request_uuid = ${toUuid('req', requestId)}::uuid)
    order by id`)
  const own = entries.filter((entry) => ownId(entry) === requestId)
  if (own.length > 0) return own
  const requests = [...new Set(entries.map(ownId))]
  if (requests.length > 1) {
    const some = requests.slice(0, 20).join(', ')
    throw conflict(
      `${requests.length} requests share the ID ${requestId}. Revert one of them by its unique ID: ${some}`,
    )
  }
  return entries
}

/** The ID that no other request has. */
function ownId({ request_id, request_uuid }: Pick<RevertEntry, 'request_id' | 'request_uuid'>): string {
  return request_uuid === null ? request_id : publicId('req', request_uuid)
}

/** An undo needs the scopes of the writes it makes. */
function requireScope({ scopes, actor }: UndoCall, { table }: RowChange): void {
  const scope = `write:${getScopeNoun(getTableNoun(table).name)}`
  if (!scopes.has(scope)) throw missingScope(scope, { isToken: actor.kind === 'client' })
}

/** Faults of an operation are obstacles too, such as a deleted category. */
async function take(call: UndoCall, step: RevertStep): Promise<RevertResult[]> {
  try {
    return await undo(call, step)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error
    throw notRevertible(
      error.faults.map(({ field: path }): Obstacle => {
        const { change, field } =
          step.kind === 'bulk' ? placeOfFault(step.products, path) : { change: step.change, field: path }
        const { table, id } = change
        return {
          resource: getTableNoun(table).name,
          id: toPublicRecordId(table, id),
          field,
          reason: 'refused',
          later: [],
        }
      }),
      { cause: error },
    )
  }
}

async function undo(call: UndoCall, step: RevertStep): Promise<RevertResult[]> {
  const result = (table: string, id: string, action: RevertAction): RevertResult => ({
    resource: getTableNoun(table).name,
    id: toPublicRecordId(table, id),
    action,
  })
  switch (step.kind) {
    case 'product':
      return [result('products', step.product.id, await revertProduct(call, step.product))]
    case 'bulk':
      await revertBulk(call, step.products)
      return step.products.map(({ id }) => result('products', id, 'changed'))
    case 'moves':
      restoreField(call, step.change, step.productIds)
      return step.productIds.map((id) => result('products', id, 'moved'))
    case 'places':
      restorePlacement(call, step.change.id, step.changes)
      return [result('collections', step.change.id, 'changed')]
    case 'record': {
      const { table, id } = step.change
      return [result(table, id, await undoRecord(call, step))]
    }
  }
}

async function undoRecord(
  call: UndoCall,
  { change, undo, slugs }: Extract<RevertStep, { kind: 'record' }>,
): Promise<RevertAction> {
  const { table, id, before, after } = change
  if (before === null) {
    await undo.remove!(call, id)
    return 'removed'
  }
  const { translations, ...values } = fieldsView(getTableNoun(table).fields, before)!
  const own = Object.entries(values).filter(([name]) => !passive(undo).includes(name))
  if (after === null) {
    await undo.restore!(call, { id, created_at: new Date(String(before.created_at)) }, values)
  } else {
    if (own.length > 0) await undo.change(call, id, Object.fromEntries(own))
  }
  if (translations !== undefined && isTranslated(table)) await restoreTranslation(call, table, id, translations)
  await restoreRecord(call, undo, change)
  for (const slug of slugs) await reinsertRecord(call, slug)
  return after === null ? 'restored' : 'changed'
}

const passive = ({ follows = [], companions = [] }: Undo) => [...follows, ...companions]

/** Operations may normalize values: this restores the earlier values exactly. */
async function restoreRecord(
  { tx, store }: UndoCall,
  { key = 'id', follows = [] }: Undo,
  { table, id, before }: RowChange,
): Promise<void> {
  const names = Object.keys(before!).filter((name) => !follows.includes(name) && name !== key)
  if (names.length === 0) return
  const itself = sql`${table === 'stores' ? sql`` : sql`store_id = ${store.id} and`} ${raw(key)}::text = ${id}`
  const [[past], [current]] = await Promise.all([
    tx.texts(sql`select ${raw(names.join(', '))} ${toRow(table, before!)}`),
    tx.texts(sql`select ${raw(names.join(', '))} from ${raw(table)} where ${itself}`),
  ])
  const changed = names.flatMap((name, index) =>
    current && past![index] !== current[index] ? [sql`${raw(name)} = ${past![index]}`] : [],
  )
  if (changed.length > 0) tx.later(sql`update ${raw(table)} set ${join(changed, ', ')} where ${itself}`)
  if (table === 'stores') followStore(tx, store.id, { hasPictures: true })
}

async function reinsertRecord({ tx, store }: UndoCall, { table, before }: RowChange): Promise<void> {
  const names = Object.keys({ ...before, store_id: null })
  const columns = raw(names.join(', '))
  const [cells] = await tx.texts(sql`select ${columns} ${toRow(table, { ...before!, store_id: store.id })}`)
  tx.later(sql`
    insert into ${raw(table)} (${columns})
    values (${list(cells!)})
    on conflict do nothing`)
}

/** Reads cells as PostgreSQL writes them, in a statement of its own: a distributed database changes rows by values. */
function toRow(table: string, cells: object): Sql {
  return sql`from json_populate_record(null::${raw(table)}, ${JSON.stringify(cells)}::json)`
}

/** Restores all at once, without an event for each, as the deletion did. */
function restoreField({ tx, store }: UndoCall, { before }: RowChange, productIds: string[]): void {
  restoreCategory(tx, store.id, String(before!.category_id), productIds)
}

/** A write is undone only once, unless the undo itself is undone. */
function markReverted({ tx, store }: UndoCall, entries: readonly RevertEntry[]): void {
  const { requestId, requestUuid = null, actor } = tx.cause
  const undoer = requestId === null ? actor.id : ownId({ request_id: requestId, request_uuid: requestUuid })
  const ids = entries.map(({ id }) => id)
  noteUndo(tx, store.id, { ids, undone: ownId(entries[0]!), undoer })
}
