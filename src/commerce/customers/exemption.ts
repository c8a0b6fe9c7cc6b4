import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'

/** True if a buyer without a customer ID is exempt from tax. Both must match, because anyone can type an email. */
export async function isExemptBuyer(
  db: Db,
  storeId: string,
  { email, tax_id }: { email: string | null; tax_id: string | null },
): Promise<boolean> {
  if (!email || !tax_id) return false
  const customer = await db.one(sql`
    select from customers
    where store_id = ${storeId}
      and lower(email) = lower(${email})
      and tax_exempt
      and tax_id = ${tax_id}
    limit 1`)
  return customer !== undefined
}
