// A file of a product, what a bought item grants, and license keys.
import { list, set } from '../../kit/declare/composites.ts'
import { derive, type Entity } from '../../kit/declare/field.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { choice, flag, id, integer, text, time, uuid } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { currentTime, bindStore, hasRow, sql } from '../../kit/database/sql.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'

export const maxFileMegabytes = 50
export const maxFileBytes = maxFileMegabytes * 1024 * 1024
const maxDownloads = 1000
const maxDays = 3650
const maxKeyProducts = 500

const variantOf = () => uuid().nullable().describe('ID of the variant; null for every variant')

/** Filters by product and variant, of a table that has both. */
const ofProduct = (table: 'files' | 'keys') => {
  const [product, variant] = {
    files: [sql`downloads_files.product_id`, sql`downloads_files.variant_id`],
    keys: [sql`downloads_keys.product_id`, sql`downloads_keys.variant_id`],
  }[table]
  return {
    product_id: filter(text({ max: 100 }), (input) => sql`${product} = ${toUuid('prod', input)}::uuid`),
    variant_id: filter(text({ max: 64 }), (input) => sql`${variant} = ${isUuid(input) ? input : null}::uuid`),
  }
}

// prettier-ignore
export const file = resource('downloads_files', {
  id:           id('dlf').readonly(),
  product_id:   id('prod').required(),
  variant_id:   variantOf(),
  name:         text({ min: 1, max: 200 }).required().example('Manual.pdf').describe('Name of the file for its buyers'),
  content_type: text().readonly().example('application/pdf').describe('Type of the file, by the end of its name'),
  bytes:        integer().readonly().example(48_213).describe('Size of the file in bytes'),
  created_at:   time().readonly().sortable(),
}, ofProduct('files'), { noun: 'Download' })

/** Fields sent with the file. */
export const upload = createBody({
  product_id: id('prod').required(),
  variant_id: variantOf(),
  name: text({ max: 200 }).describe(
    'Name of the file for its buyers; defaults to the name of the uploaded file, and gets its ending',
  ),
})

export type FileUpload = NonNullable<typeof upload.type>

/** True once its order was canceled or refunded, or all units of its item or part were. */
export const isUndone = sql`(not ${hasRow(sql`
  from orders
  join order_items on order_items.store_id = ${bindStore('downloads_grants.store_id')}
    and order_items.order_id = orders.id
    and order_items.id = downloads_grants.item_id
  cross join lateral (
    select coalesce((
        select sum(part.quantity)
        from jsonb_to_recordset(order_items.parts) as part (product_id uuid, variant_id uuid, quantity int)
        where part.product_id = downloads_grants.product_id
          and part.variant_id is not distinct from downloads_grants.variant_id), 1) as units) as in_one
  where orders.store_id = ${bindStore('downloads_grants.store_id')}
    and orders.id = downloads_grants.order_id
    and orders.status not in ('cancelled', 'returned')
    and orders.payment_status <> 'refunded'
    and order_items.quantity * in_one.units > (
      select coalesce(sum(refund_items.quantity * case
          when refund_items.part = -1 then in_one.units
          when (order_items.parts -> refund_items.part ->> 'product_id')::uuid = downloads_grants.product_id
            and (order_items.parts -> refund_items.part ->> 'variant_id')::uuid
              is not distinct from downloads_grants.variant_id then 1
          else 0 end), 0)
      from refunds
      join refund_items on refund_items.store_id = ${bindStore('downloads_grants.store_id')}
        and refund_items.refund_id = refunds.id
        and refund_items.item_id = downloads_grants.item_id
      where refunds.store_id = ${bindStore('downloads_grants.store_id')}
        and refunds.order_id = downloads_grants.order_id
        and refunds.status = 'succeeded')`)})`

/** True once it is undone or staff revoked it. */
export const isRevoked = sql`(downloads_grants.revoked_at is not null or ${isUndone})`

const statuses = ['active', 'used_up', 'expired', 'revoked'] as const

const status = sql`case when ${isRevoked} then 'revoked'
  when downloads_grants.file_id is null then 'active'
  when downloads_grants.expires_at <= ${currentTime} then 'expired'
  when downloads_grants.downloads >= downloads_grants.max_downloads then 'used_up'
  else 'active' end`

const fileName = sql`(select downloads_files.name from downloads_files
  where downloads_files.store_id = ${bindStore('downloads_grants.store_id')}
    and downloads_files.id = downloads_grants.file_id)`

const keysOf = sql`coalesce((select json_agg(downloads_keys.key order by downloads_keys.id) from downloads_keys
  where downloads_keys.store_id = ${bindStore('downloads_grants.store_id')}
    and downloads_keys.grant_id = downloads_grants.id), '[]')`

// prettier-ignore
export const grant = resource('downloads_grants', {
  id:            id('dlg').readonly(),
  order_id:      id('ord').readonly(),
  item_id:       id('item').readonly().describe('ID of the item of the order'),
  product_id:    id('prod').readonly().describe('The product, or the part of a bundle, with the file or the keys'),
  variant_id:    uuid().nullable().readonly(),
  file_id:       id('dlf').nullable().readonly().describe('ID of the file; null for license keys'),
  name:          derive(text(), fileName).nullable().example('Manual.pdf')
    .describe('Name of the file; null for license keys'),
  keys:          derive(list(text(), { max: 10_000 }), keysOf)
    .example(['AAAA-1111']).describe('License keys that were handed out'),
  missing_keys:  integer().readonly().example(0).describe('License keys that are handed out once there are more'),
  status:        derive(choice(statuses), status)
    .describe('active, used_up, expired, or revoked by staff, a refund or the cancellation'),
  downloads:     integer().readonly().example(1).describe('Downloads so far'),
  max_downloads: integer().nullable().readonly().example(5).describe('Downloads in all; null for no limit'),
  expires_at:    time().nullable().readonly()
    .describe('Time after which the file cannot be downloaded; null for never'),
  last_at:       time().nullable().readonly().describe('Time of the last download'),
  created_at:    time().readonly().sortable(),
}, {
  order_id: filter(text({ max: 100 }), (input) => sql`downloads_grants.order_id = ${toUuid('ord', input)}::uuid`),
  file_id:  filter(text({ max: 100 }).describe('ID of the file'), (input) =>
    sql`downloads_grants.file_id = ${toUuid('dlf', input)}::uuid`),
}, { noun: 'Download grant' })

export type Grant = Entity<typeof grant.fields>

// prettier-ignore
export const key = resource('downloads_keys', {
  id:            id('dlk').readonly(),
  product_id:    id('prod').readonly(),
  variant_id:    variantOf().readonly(),
  key:           text().readonly().personal().example('AAAA-1111').describe('The license key'),
  grant_id:      id('dlg').nullable().readonly().describe('Grant that it was handed out with; null if it is left'),
  handed_out_at: time().nullable().readonly().describe('Time it was handed out'),
  created_at:    time().readonly().sortable(),
}, {
  ...ofProduct('keys'),
  is_handed_out: filter(flag().describe('Whether an order has the key'), (isOut: boolean) =>
    isOut ? sql`downloads_keys.grant_id is not null` : sql`downloads_keys.grant_id is null`),
}, { noun: 'License key' })

export const maxKeyLength = 200
export const maxKeysAtOnce = 5000

// prettier-ignore
export const newKeys = createBody({
  product_id: id('prod').required(),
  variant_id: variantOf(),
  keys:       text({ min: 1, max: 500_000 }).required().example('AAAA-1111\nBBBB-2222')
    .describe(`License keys, one per line: up to ${maxKeysAtOnce}, of up to ${maxKeyLength} characters`),
})

export type NewKeys = NonNullable<typeof newKeys.type>

// prettier-ignore
export const keysAdded = resource('downloads_keys', {
  added:      integer().example(2).describe('Keys that are new'),
  repeated:   integer().example(0).describe('Keys that were there already, or twice in the list'),
  handed_out: integer().example(0).describe('Keys that orders were waiting for'),
}, {}, { noun: 'Added license keys' })

// prettier-ignore
export const settings = resource('downloads_settings', {
  max_downloads: integer({ min: 1, max: maxDownloads }).nullable().example(5)
    .describe('Downloads of a file for each unit that was bought; null for no limit'),
  days:          integer({ min: 1, max: maxDays }).nullable().example(30)
    .describe('Days in which it can be downloaded; null for no limit'),
  key_product_ids: set(id('prod'), { max: maxKeyProducts, unique: true }).example([])
    .describe('Products whose license keys an app makes when it hears downloads.keys_missing'),
}, {}, { noun: 'Download settings' })

/** Products are named by uuid. */
export type DownloadSettings = { max_downloads: number | null; days: number | null; key_product_ids: string[] }

/** Of a store that has not changed them. */
export const defaults: DownloadSettings = { max_downloads: 5, days: 30, key_product_ids: [] }

/** Defaults to the settings of the store. */
export const renewal = createBody({
  max_downloads: settings.fields.max_downloads.describe('Further downloads; defaults to the settings'),
  days: settings.fields.days.describe('Days from now; defaults to the settings'),
})

export type Renewal = NonNullable<typeof renewal.type>
