// Discounts of a file, known by their code.
import type { Db } from '../../../kit/database/database.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { normalizeDiscountCode, discount } from '../../../commerce/discounts/discount.ts'
import { createDiscount, deleteDiscount, updateDiscount } from '../../../commerce/discounts/operations.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { allNamed, categoryNamed, groupNamed, textsIn } from './named.ts'
import { references } from './fields.ts'
import type { Match, RecordKind, ImportWrite } from './kind.ts'
import { remark, rowNotes } from './notes.ts'
import { getFirstValue, put, type Draft, type MappedRow } from './record.ts'

export const discounts: RecordKind = {
  prefix: 'disc',
  draft,
  body: discount,
  hold: (input) => {
    input.is_active = false
  },
  keysOf: ({ code }) => (typeof code === 'string' ? [`code ${normalizeDiscountCode(code)}`] : []),
  resolve,
  find,
  create,
  update,
  remove: ({ tx, store }, id) => deleteDiscount(tx, store, id),
}

function draft(rows: readonly MappedRow[]): Draft {
  const made: Draft = { input: {}, places: new Map(), notes: [] }
  for (const field of [...Object.keys(discount.fields), ...Object.keys(references)]) {
    const cell = getFirstValue(rows, field)
    if (cell) put(made, field, cell, cell.number)
  }
  limitToRest(made, rows)
  const { input } = made
  // Some systems write what a discount takes off as a negative number.
  if (typeof input.value === 'number') input.value = Math.abs(input.value)
  if (input.type === 'free_shipping') input.value = 0
  return made
}

/** Uses in another system have no orders here: what is left of them is the limit. */
function limitToRest({ input, notes }: Draft, rows: readonly MappedRow[]): void {
  const useCell = getFirstValue(rows, 'times_used')
  const limit = input.max_uses
  if (typeof useCell?.value !== 'number' || useCell.value <= 0 || typeof limit !== 'number' || limit === 0) return
  const used = useCell.value
  const rest = limit - used
  if (rest > 0) {
    input.max_uses = rest
    notes.push(remark(useCell, rowNotes.uses_left, { used, limit, rest }))
  } else {
    input.is_active = false
    notes.push(remark(useCell, rowNotes.uses_over, { limit }))
  }
}

const columns = Object.entries(references)
const products = columns.filter(([, { prefix }]) => prefix === 'prod')
const others = columns.filter(([, { prefix }]) => prefix !== 'prod')

/** Products that a discount names by their slugs; an export has the ID of one that is deleted. */
async function resolve(db: Db, store: Store, drafts: readonly Draft[]): Promise<Fault[][]> {
  const slugs = drafts.flatMap(({ input }) => products.flatMap(([name]) => textsIn(input[name])))
  const rows =
    slugs.length === 0
      ? []
      : await db.rows<{ slug: string; id: string }>(sql`
      select slug, id
      from products
      where store_id = ${store.id}
        and slug = any(${slugs})`)
  const ids = new Map(rows.map(({ slug, id }) => [slug, publicId('prod', id)]))
  const resolveProductId = (reference: string) =>
    ids.get(reference) ?? (toUuid('prod', reference) ? reference : undefined)
  return drafts.map(({ input }) =>
    products.flatMap(([name, { field }]) => {
      const references = textsIn(input[name])
      if (references.length > 0) input[field] = references.flatMap((one) => resolveProductId(one) ?? [])
      return references.every(resolveProductId) ? [] : [fault(name, generalFaults.does_not_exist)]
    }),
  )
}

/** Categories and groups that it names; like those of other records, they are made if there are none. */
async function withNamed(call: ImportWrite, input: Record<string, any>): Promise<Record<string, any>> {
  const whole = { ...input }
  for (const [name, { field, prefix }] of others) {
    const ids = await allNamed(call, input[name], prefix === 'cat' ? categoryNamed : groupNamed)
    if (ids.length > 0) whole[field] = ids
  }
  return whole
}

async function find(db: Db, store: Store, drafts: readonly Draft[]): Promise<(Match | null)[]> {
  const codes = drafts.map(({ input }) => (typeof input.code === 'string' ? normalizeDiscountCode(input.code) : ''))
  const rows = await db.rows<{ code: string; id: string }>(sql`
    select code, id
    from discounts
    where store_id = ${store.id}
      and code = any(${codes})`)
  const ids = new Map(rows.map(({ code, id }) => [code, id]))
  return codes.map((code) => (ids.has(code) ? { id: ids.get(code)!, by: 'code', value: code } : null))
}

async function create(call: ImportWrite, input: Record<string, any>): Promise<string> {
  const { tx, store } = call
  return (await createDiscount(tx, store, discount.create.read(await withNamed(call, input), store))).id
}

async function update(call: ImportWrite, { id }: Match, values: Record<string, any>): Promise<boolean> {
  const { tx, store } = call
  const input = await withNamed(call, values)
  const { entity: before } = await findRecord(tx, discount, store.id, id)
  const body = discount.patch.read(input, store)
  const isSame = Object.entries(input).every(([name, value]) => {
    if (name in references) return true
    const now = before[name as keyof typeof before]
    return now instanceof Date
      ? now.getTime() === Date.parse(String(value))
      : JSON.stringify(now) === JSON.stringify(value)
  })
  if (isSame) return false
  await updateDiscount(tx, store, id, body)
  return true
}
