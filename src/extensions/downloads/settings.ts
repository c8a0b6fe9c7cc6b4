// How often and how long a buyer can download a file.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { json } from '../../kit/declare/route.ts'
import type { Json } from '../../kit/declare/resource.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { defaults, type DownloadLimits } from './download.ts'

export async function readSettings(db: Db, storeId: string): Promise<DownloadLimits> {
  const row = await db.one<DownloadLimits>(sql`
    select max_downloads, days
    from downloads_settings
    where store_id = ${storeId}`)
  return row ?? defaults
}

export async function findSettings(db: Db, store: Store): Promise<Json<object>> {
  return json(await readSettings(db, store.id))
}

type LimitsPatch = { [K in keyof DownloadLimits]?: DownloadLimits[K] | undefined }

/** Files that were bought before keep their limits. */
export async function saveSettings(tx: Tx, store: Store, patch: LimitsPatch): Promise<Json<object>> {
  const before = await readSettings(tx, store.id)
  const { max_downloads = before.max_downloads, days = before.days } = patch
  tx.later(sql`
    insert into downloads_settings (store_id, max_downloads, days)
    values (${store.id}, ${max_downloads}, ${days})
    on conflict (store_id) do update set max_downloads = excluded.max_downloads, days = excluded.days`)
  return json({ max_downloads, days })
}
