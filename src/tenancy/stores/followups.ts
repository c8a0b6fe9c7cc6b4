// Follow-up writes of a change to `stores`. Other tables have triggers for this, but every server of a distributed
// database has a copy of `stores`, and could not reach the store's other rows from there.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'

/** Call it after each statement that writes the row; `timezone` is the new one, if it may differ. */
export function followStore(
  tx: Tx,
  storeId: string,
  { timezone, hasPictures = false }: { timezone?: string | undefined; hasPictures?: boolean } = {},
): void {
  tx.later(sql`select move_version(${storeId}, 'settings')`)
  // Its days begin at other times.
  if (timezone !== undefined) tx.later(sql`select forget_days(${storeId}, ${timezone})`)
  if (hasPictures) tx.later(sql`select follow_store_media(${storeId})`)
}
