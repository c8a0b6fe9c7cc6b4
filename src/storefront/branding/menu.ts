// The menus in the header and footer of a shop, in the merchant's order.
import { list, object } from '../../kit/declare/composites.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import type { Entity, Patch } from '../../kit/declare/field.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { text } from '../../kit/declare/scalars.ts'
import { sql } from '../../kit/database/sql.ts'
import { updateFace } from '../../tenancy/stores/operations.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { link } from './links.ts'

// prettier-ignore
const entry = object({
  label: text({ min: 1, max: 60 }).required().example('About us'),
  link:  link().required()
    .describe('Path in the online store (/pages/about, /collections/summer), or an https:, mailto: or tel: URL'),
})

const menu = () => list(entry, { max: 20 })

export const menus = resource(
  'stores',
  {
    header_menu: menu().describe('Menu at the top of every page'),
    footer_menu: menu().describe('Menu at the bottom of every page'),
  },
  {},
  { noun: 'Menus' },
)

export type ShopMenus = Entity<typeof menus.fields>

export async function findMenus(db: Db, { id }: Store): Promise<Json<ShopMenus>> {
  const [row] = await db.texts(sql`
    select ${menus.columns}
    from stores
    where id = ${id}`)
  return menus.serialise(row!)
}

/** Replaces each menu in the patch as a whole. */
export async function changeMenus(tx: Tx, store: Store, patch: Patch<typeof menus.fields>): Promise<Json<ShopMenus>> {
  if (Object.keys(patch).length === 0) return findMenus(tx, store)
  return updateFace(tx, store.id, menus, patch)
}
