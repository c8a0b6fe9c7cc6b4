import { endAccess } from '../../commerce/customers/access.ts'
import { sql } from '../../kit/database/sql.ts'
import { table, type Erase } from '../../tenancy/tables/table.ts'

const signIn = {
  merge: 'the account of the customer who stays remains',
  audit: 'how customers sign in to the shop',
  unforked: 'how customers sign in',
}

export const shopperSessions = table('shopper_sessions', {
  ...signIn,
  erasure: (tx, storeId, { id }) => endAccess(tx, storeId, id),
})

export const shopperPasskeys = table('shopper_passkeys', { ...signIn, erasure: 'they go with the sessions' })

/** Links and codes that were requested with one of their emails. */
const eraseSignIns: Erase = (tx, storeId, { emails }) =>
  tx.later(sql`
    delete from shopper_sign_ins
    where store_id = ${storeId}
      and lower(email) = any(${emails.map(({ value }) => value)}::text[])`)

export const shopperSignIns = table('shopper_sign_ins', {
  audit: 'how customers sign in to the shop',
  stays: 'links and codes, valid for minutes, that the key of the installation signs',
  erasure: eraseSignIns,
})
