// How often and how long a buyer can download a file, and which license keys an app makes.
import type { Db, Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
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
  if (patch.key_product_ids) await requireProducts(tx, store.id, patch.key_product_ids)
  const {
    max_downloads = defaults.max_downloads,
    days = defaults.days,
    key_product_ids = defaults.key_product_ids,
  } = patch
  const kept = (name: keyof DownloadSettings) => {
    const column = raw(name)
    return sql`${column} = case when ${patch[name] !== undefined}::boolean then excluded.${column}
          else downloads_settings.${column} end`
  }
  const row = await tx.one<DownloadSettings>(sql`
    insert into downloads_settings (store_id, max_downloads, days, key_product_ids)
    values (${store.id}, ${max_downloads}, ${days}, ${key_product_ids}::uuid[])
    on conflict (store_id) do update
    set ${kept('max_downloads')},
        ${kept('days')},
        ${kept('key_product_ids')}
    returning max_downloads, days, key_product_ids`)
  return json(toEntity(row!))
}

/** Without a row, the defaults apply. */
export async function resetSettings(tx: Tx, store: Store): Promise<void> {
  tx.later(sql`delete from downloads_settings where store_id = ${store.id}`)
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
