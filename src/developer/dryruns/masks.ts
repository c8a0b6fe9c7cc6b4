// A rehearsed order takes over what the record of a customer says of them. Who may not read customers is not shown it:
// a write that happens is in the log and its order is there to be read, a rehearsal would be a way to look.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { Rehearsal } from './writes.ts'

const scope = 'read:customers'

/** Masks contact data of customers the order would belong to, unless `request` contains the same. */
export type MaskPart = <T>(value: T, request: unknown) => T

export async function customerMasks(
  db: Db,
  storeId: string,
  scopes: ReadonlySet<string>,
  rehearsals: readonly Pick<Rehearsal, 'changes'>[],
): Promise<MaskPart> {
  const ids = scopes.has(scope) ? [] : rehearsals.flatMap(({ changes }) => changes.flatMap(listNewBuyers))
  if (ids.length === 0) return (value) => value
  const rows = await db.rows<{ texts: string[] }>(sql`
    select array_remove(array[name, email, phone, tax_id], null) as texts
    from customers
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  const texts = new Set(rows.flatMap((row) => row.texts))
  return (value, request) => {
    const strings = new Set(stringsIn(request))
    return withoutStrings(value, (text) => texts.has(text) && !strings.has(text)) as typeof value
  }
}

/** The buyer of a new order; existing orders can be read anyway. */
function listNewBuyers({ resource, before, after }: Rehearsal['changes'][number]): string[] {
  const id = resource === 'order' && before === null ? after?.customer_id : null
  return typeof id === 'string' ? [toUuid('cus', id) ?? id] : []
}

function withoutStrings(value: unknown, isHidden: (text: string) => boolean): unknown {
  if (typeof value === 'string') return isHidden(value) ? null : value
  if (Array.isArray(value)) return value.map((one) => withoutStrings(one, isHidden))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutStrings(inner, isHidden)]))
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
