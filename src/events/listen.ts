// Who wants a store's events besides its webhooks: `stoa listen`. For nobody, emit writes none.
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'

/** Until then each event of the store is written. */
export async function listenUntil(db: Db, storeId: string, until: Date): Promise<void> {
  await db.rows(sql`
    insert into listeners (store_id, until)
    values (${storeId}, ${until})
    on conflict (store_id) do update
    set until = greatest(listeners.until, excluded.until)`)
}
