// A call of an agent in a store.
import type { Db, StoreDatabase } from '../../kit/database/database.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import { chooseTranslation, ownLanguage } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { FindFace } from '../../storefront/branding/face.ts'
import type { ShopperDeps } from '../../storefront/checkout/routes.ts'
import type { Guard } from '../../storefront/checkout/cart/guard.ts'
import type { Agent } from './agent.ts'

export type Visit = VisitContext & {
  db: StoreDatabase
  /** The store's origin, as the agent knows it. */
  origin: string
  /** True if the agent has signed the call. */
  isSigned: boolean
}

/** The parts that responses are composed from. */
export type VisitContext = {
  db: Db
  store: Store
  deps: ShopperDeps
  agent: Agent
  guard: Guard
  findFace: FindFace
  /** The Idempotency-Key of the call. */
  key: string | null
}

/** The language in the shopper's context; null if there is none, or if it is not supported. */
export function readContextLanguage(context: { language?: string | null | undefined } | undefined): Language | null {
  const requestedLanguage = context?.language?.toLowerCase().split('-')[0]
  return languages.find((language) => language === requestedLanguage) ?? null
}

/** The language that product texts are translated into; null for the store's own. */
export function textLanguage(
  store: Store,
  context: { language?: string | null | undefined } | undefined,
): Language | null {
  return chooseTranslation(store, readContextLanguage(context) ?? ownLanguage(store))
}
