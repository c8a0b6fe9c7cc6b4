// Customers who are likely the same person: by phone, or by name and postal code.
import type { Db } from '../../../kit/database/database.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Customer } from '../customer.ts'
import { phoneKey } from '../matching.ts'

type Duplicate = { id: string; name: string; contact: string }

const maxShown = 5
/** Customers of one name that are looked at. */
const maxNamesakes = 50

export async function findDuplicates(
  db: Db,
  store: Store,
  { id, name, phone, addresses }: Customer,
): Promise<Duplicate[]> {
  const codes = addresses.flatMap(({ postal_code }) => postal_code ?? [])
  const rows = await db.rows<Duplicate>(sql`
    select id, name, coalesce(email, phone, name) as contact
    from (
      (select id, name, email, phone from customers
      where store_id = ${store.id}
        and phone_key = ${phoneKey(store, phone)}::text
      order by id
      limit ${maxShown + 1})
      union
      (select id, name, email, phone
      from (
        select id, name, email, phone, addresses from customers
        where store_id = ${store.id}
          and name = ${name}
        order by id
        limit ${maxNamesakes}) as namesakes
      where exists (
        select from json_array_elements(addresses) as address
        where address ->> 'postal_code' = any(${codes}::text[])))) as alike
    where id <> ${toUuid('cus', id)}
    order by id
    limit ${maxShown}`)
  return rows.map((row) => ({ ...row, id: publicId('cus', row.id) }))
}
