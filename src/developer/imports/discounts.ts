// Discounts of a file, known by their code.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { codeOf, discount } from '../../commerce/discounts/discount.ts'
import { createDiscount, deleteDiscount, updateDiscount } from '../../commerce/discounts/operations.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Match, RecordKind, ImportWrite } from './kind.ts'
import { firstOf, put, type Draft, type MappedRow } from './record.ts'

export const discounts: RecordKind = {
  prefix: 'disc',
  draft,
  body: discount,
  keysOf: ({ code }) => (typeof code === 'string' ? [`code ${codeOf(code)}`] : []),
  find,
  create,
  update,
  remove: ({ tx, store }, id) => deleteDiscount(tx, store, id),
}

function draft(rows: readonly MappedRow[]): Draft {
  const made: Draft = { input: {}, places: new Map(), notes: [] }
  for (const field of Object.keys(discount.fields)) {
    const found = firstOf(rows, field)
    if (found) put(made, field, found, found.number)
  }
  const { input } = made
  // Some systems write what a discount takes off as a negative number.
  if (typeof input.value === 'number') input.value = Math.abs(input.value)
  if (input.type === 'free_shipping') input.value = 0
  return made
}

async function find(db: Db, store: Store, drafts: readonly Draft[]): Promise<(Match | null)[]> {
  const codes = drafts.map(({ input }) => (typeof input.code === 'string' ? codeOf(input.code) : ''))
  const rows = await db.rows<{ code: string; id: string }>(sql`
    select code, id
    from discounts
    where store_id = ${store.id}
      and code = any(${codes})`)
  const ids = new Map(rows.map(({ code, id }) => [code, id]))
  return codes.map((code) => (ids.has(code) ? { id: ids.get(code)!, by: 'code', value: code } : null))
}

async function create({ tx, store }: ImportWrite, input: Record<string, any>): Promise<string> {
  return (await createDiscount(tx, store, discount.create.read(input, store))).id
}

async function update({ tx, store }: ImportWrite, id: string, input: Record<string, any>): Promise<boolean> {
  const { entity: before } = await findRecord(tx, discount, store.id, id)
  const body = discount.patch.read(input, store)
  const isSame = Object.entries(input).every(([name, value]) => {
    const now = before[name as keyof typeof before]
    return now instanceof Date
      ? now.getTime() === Date.parse(String(value))
      : JSON.stringify(now) === JSON.stringify(value)
  })
  if (isSame) return false
  await updateDiscount(tx, store, id, body)
  return true
}
