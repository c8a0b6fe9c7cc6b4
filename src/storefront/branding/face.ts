// The frame around the hosted pages of a store: its look, menus and policies.
import { LRUCache } from 'lru-cache'
import type { Db } from '../../kit/database/database.ts'
import { jsonObject } from '../../kit/declare/row.ts'
import { measuredBy } from '../../kit/values/clock.ts'
import type { Language } from '../../kit/values/language.ts'
import { inStore, sql, bindStore } from '../../kit/database/sql.ts'
import { takesEnquiries } from '../../tenancy/emails/enquiry.ts'
import { appearance, type Appearance } from './appearance.ts'
import { menus, type ShopMenus } from './menu.ts'
import type { ShopTexts } from './shoptexts.ts'
import { policies as policyKinds, storePage, type PolicyLink } from './storepage.ts'

export type Face = Appearance &
  ShopMenus & {
    policies: PolicyLink[]
    /** True if the store receives messages from visitors. */
    takes_enquiries: boolean
    /** The shop's own texts in other languages. */
    translations: Partial<Record<Language, ShopTexts>> | null
  }

const maxCached = 1000
const cacheMs = 60_000

/** `version` is the store's current face_version; the same version needs no query. */
export type FindFace = (storeId: string, version: number) => Promise<Face>

export function faceFinder(db: Db & { clock: Parameters<typeof measuredBy>[0] }): FindFace {
  const cache = new LRUCache<string, Face>({ max: maxCached, ttl: cacheMs, ...measuredBy(db.clock) })
  return async (storeId, version) => {
    const key = `${storeId} ${version}`
    const entry = cache.get(key)
    if (entry) return entry
    const face = await loadFace(db, storeId)
    cache.set(key, face)
    return face
  }
}

type LoadedFace = Pick<Face, 'policies' | 'takes_enquiries' | 'translations'> & {
  appearance: Appearance
  menus: ShopMenus
}

export async function loadFace(db: Db, storeId: string): Promise<Face> {
  const query = sql`
    select ${jsonObject(appearance, appearance.names)} as appearance, ${jsonObject(menus, menus.names)} as menus,
      (${policies}) as policies, ${takesEnquiries} as takes_enquiries, translations
    from stores
    where id = ${storeId}`
  const row = (await db.one<LoadedFace>(inStore(storeId, query)))!
  const { appearance: look, menus: own, ...rest } = row
  return { ...look, ...own, ...rest }
}

/** By language. */
const titlesIn = sql`(
  select json_object_agg(said.key, said.value -> 'title')
  from json_each(pages.translations) as said)`

// In the order of their kinds.
const policies = sql`
  select coalesce(json_agg(${jsonObject(storePage, ['kind', 'title', 'slug', 'titles'], { titles: titlesIn })}
    order by array_position(${[...policyKinds]}::text[], pages.kind)), '[]')
  from pages
  where pages.store_id = ${bindStore('stores.id')}
    and pages.kind <> 'page'
    and pages.is_published`
