// How often and how long a buyer can download a file, and which license keys an app makes.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { json } from '../../kit/declare/route.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { defaults, type DownloadSettings } from './download.ts'

export async function readSettings(db: Db, storeId: string): Promise<DownloadSettings> {
  const row = await db.one<DownloadSettings>(sql`
    select max_downloads, days, key_product_ids
    from downloads_settings
    where store_id = ${storeId}`)
  return row ?? defaults
}

export async function findSettings(db: Db, store: Store): Promise<Json<object>> {
  return json(toEntity(await readSettings(db, store.id)))
}

function toEntity({ key_product_ids, ...limits }: DownloadSettings): object {
  return { ...limits, key_product_ids: key_product_ids.map((id) => publicId('prod', id)) }
}

type SettingsPatch = { [K in keyof DownloadSettings]?: DownloadSettings[K] | undefined }

/** Files that were bought before keep their limits. */
export async function saveSettings(tx: Tx, store: Store, patch: SettingsPatch): Promise<Json<object>> {
  const before = await readSettings(tx, store.id)
  const { max_downloads = before.max_downloads, days = before.days, key_product_ids = before.key_product_ids } = patch
  if (patch.key_product_ids) await requireProducts(tx, store.id, patch.key_product_ids)
  tx.later(sql`
    insert into downloads_settings (store_id, max_downloads, days, key_product_ids)
    values (${store.id}, ${max_downloads}, ${days}, ${key_product_ids}::uuid[])
    on conflict (store_id) do update
    set max_downloads = excluded.max_downloads, days = excluded.days, key_product_ids = excluded.key_product_ids`)
  return json(toEntity({ max_downloads, days, key_product_ids }))
}

async function requireProducts(tx: Tx, storeId: string, ids: readonly string[]): Promise<void> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id
    from products
    where store_id = ${storeId}
      and id = any(${[...ids]}::uuid[])`)
  const known = new Set(rows.map(({ id }) => id))
  const faults = ids.flatMap((id, index) =>
    known.has(id) ? [] : [fault(`key_product_ids.${index}`, generalFaults.does_not_exist)],
  )
  if (faults.length > 0) throw invalid(...faults)
}
