// Undoing a write by the id of its request: each record is brought back by the operations that change such records, so
// with their checks, their events and an entry in the audit log, which can be undone as well.
import { sql } from '../kit/database/sql.ts'
import { takeTurn } from '../kit/database/turns.ts'
import { ApiError, notFound, notRevertible, type Obstacle } from '../kit/values/errors.ts'
import { merged, type Noted, type Personal } from './noted.ts'
import { nounOf } from './nouns.ts'
import { explained } from './obstacles.ts'
import { planRevert, type Step } from './plan.ts'
import { revertProduct } from './products.ts'
import type { Call } from './reverters.ts'
import { shown, shownId } from './shown.ts'
import { isTranslated, translateBack } from './translations.ts'

/** A product that only got its category back was moved. */
type Action = 'changed' | 'moved' | 'removed' | 'restored'
export type Reverted = { resource: string; id: string; action: Action }

type Entry = { id: string; changes: Noted[]; personal: Personal[] | null; reverted_by: string | null }

export async function revertChange(call: Call, requestId: string): Promise<Reverted[]> {
  const { tx, store } = call
  takeTurn(tx, `undo ${store.id}`)
  const entries = await tx.rows<Entry>(sql`
    select id, changes, personal, reverted_by
    from audit_log
    where store_id = ${store.id}
      and request_id = ${requestId}
    order by id`)
  const changes = merged(entries.flatMap((entry) => entry.changes))
  if (changes.length === 0) throw notFound('Change')
  const personal = entries.flatMap((entry) => entry.personal ?? [])
  const isReverted = entries.some(({ reverted_by }) => reverted_by !== null)
  const { steps, blocked } = await planRevert(tx, store, { changes, personal, isReverted })
  if (blocked.length > 0) throw notRevertible(await explained(tx, store.id, entries.at(-1)!.id, blocked))
  const reverted: Reverted[] = []
  for (const step of steps) reverted.push(...(await take(call, step)))
  markReverted(call, requestId, entries)
  return reverted
}

/** What an operation finds at fault stands in the way too, e.g. a category that is gone. */
async function take(call: Call, step: Step): Promise<Reverted[]> {
  try {
    return await undo(call, step)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error
    const { table, id } = step.change
    const record = { resource: nounOf(table).name, id: shownId(table, id) }
    throw notRevertible(
      error.faults.map(({ field }): Obstacle => ({ ...record, field, reason: 'refused', later: [] })),
      { cause: error },
    )
  }
}

async function undo(call: Call, step: Step): Promise<Reverted[]> {
  const told = (table: string, id: string, action: Action): Reverted => ({
    resource: nounOf(table).name,
    id: shownId(table, id),
    action,
  })
  switch (step.kind) {
    case 'product':
      return [told('products', step.product.id, await revertProduct(call, step.product))]
    case 'moves':
      moveBack(call, step.change, step.productIds)
      return step.productIds.map((id) => told('products', id, 'moved'))
    case 'record': {
      const { table, id } = step.change
      return [told(table, id, await undoRecord(call, step))]
    }
  }
}

async function undoRecord(call: Call, { change, reverter }: Extract<Step, { kind: 'record' }>): Promise<Action> {
  const { table, id, before, after } = change
  if (before === null) {
    await reverter.remove!(call, id)
    return 'removed'
  }
  const { translations, ...values } = shown(nounOf(table).fields, before)!
  if (after === null) {
    await reverter.restore!(call, { id, created_at: new Date(String(before.created_at)) }, values)
  } else {
    const follows = reverter.follows ?? []
    const own = Object.entries(values).filter(([name]) => !follows.includes(name))
    if (own.length > 0) await reverter.change(call, id, Object.fromEntries(own))
  }
  if (translations !== undefined && isTranslated(table)) await translateBack(call, table, id, translations)
  return after === null ? 'restored' : 'changed'
}

/** As they lost it: all at once, without an event of each. */
function moveBack({ tx, store }: Call, { before }: Noted, productIds: string[]): void {
  tx.later(sql`
    update products
    set category_id = ${before!.category_id}
    where store_id = ${store.id}
      and id = any(${productIds}::uuid[])`)
}

/** A write is undone once, until that is undone. */
function markReverted({ tx, store }: Call, requestId: string, entries: readonly Entry[]): void {
  tx.later(sql`
    update audit_log
    set reverted_by = null
    where store_id = ${store.id}
      and reverted_by = ${requestId}`)
  tx.later(sql`
    update audit_log
    set reverted_by = ${tx.cause.requestId ?? tx.cause.actor.id}
    where store_id = ${store.id}
      and id = any(${entries.map(({ id }) => id)}::uuid[])`)
}
