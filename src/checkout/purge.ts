// What goes of a person: some time after a draft has ended, and with the customer.
import { raw, sql } from '../kit/database/sql.ts'
import type { Eraser } from '../customers/operations.ts'
import { personal } from './checkout.ts'

/** `set` of an update: everything that is marked as personal. */
export const withoutPerson = raw(personal.map((name) => `${name} = null`).join(',\n    '))

/** All that has the e-mail or the phone of somebody who is no customer any more. Nobody is mailed after. */
export const purgeCheckoutsOf: Eraser = (tx, storeId, { email, phone }) =>
  tx.later(sql`
    update checkouts
    set ${withoutPerson},
        letter_due_at = null
    where store_id = ${storeId}
      and (lower(customer_email) = lower(${email}::text) or customer_phone = ${phone}::text)`)
