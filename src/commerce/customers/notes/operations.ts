import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { insertInto, type RecordOf } from '../../../kit/declare/resource.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { invalid, notFound } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { eraseAudit } from '../../../tenancy/audit/erase.ts'
import { customer } from '../customer.ts'
import { customerNote, type CustomerNote } from './note.ts'

const maxNotes = 1000

/** Notes of a customer are written one after the other, so that their maximum is exact. */
export async function createNote(
  tx: Tx,
  storeId: string,
  customerId: string,
  { body }: { body: string },
  actor: Actor,
): Promise<RecordOf<CustomerNote>> {
  const owner = await tx.one(sql`
    select from customers
    where store_id = ${storeId}
      and id = ${customerId}
    for no key update`)
  if (!owner) throw notFound(customer.noun)
  const { count } = (await tx.one<{ count: number }>(sql`
    select count(*)::int as count
    from customer_notes
    where store_id = ${storeId}
      and customer_id = ${customerId}`))!
  const full = { owner: 'a customer', limit: maxNotes, things: 'notes' }
  if (count >= maxNotes) throw invalid(fault('body', generalFaults.one_too_many, full))
  const author = { author_kind: actor.kind, author_id: actor.id ?? actor.kind }
  const keys = { store_id: storeId, id: newUuid(), customer_id: customerId }
  const [row] = await tx.texts(sql`
    ${insertInto(customerNote, { body }, { ...keys, ...author, created_at: tx.now })}
    returning ${customerNote.columns}`)
  return customerNote.record(row!)
}

export async function deleteNote(tx: Tx, storeId: string, customerId: string, id: string): Promise<void> {
  const deletion = await tx.one(sql`
    delete from customer_notes
    where store_id = ${storeId}
      and customer_id = ${customerId}
      and id = ${id}
    returning id`)
  if (!deletion) throw notFound(customerNote.noun)
  // Deletes the text for good: a kept copy could not be erased for its customer.
  eraseAudit(tx, storeId, [id])
}

/** The uuid of the customer of a note, or NOT_FOUND. */
export async function findNoteOwner(tx: Tx, storeId: string, id: string): Promise<string> {
  const row = await tx.one<{ customer_id: string }>(sql`
    select customer_id
    from customer_notes
    where store_id = ${storeId}
      and id = ${id}`)
  if (!row) throw notFound(customerNote.noun)
  return row.customer_id
}
