// The offer of a store in another language.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Language } from '../../../kit/values/language.ts'
import { chooseTranslation } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { presentTexts, buildTermTranslator, type TranslateTerm, type Term } from '../../../tenancy/stores/terms.ts'
import { textsIn } from '../../../tenancy/stores/translations.ts'
import { findOffer, type Offer } from './offer.ts'

type OfferTexts = { store_title?: string | null; description?: string | null; terms: Term[] }

/** Translates the shop's own terms into this language. */
export async function findTermNames(db: Db, storeId: string, language: Language | null): Promise<TranslateTerm> {
  const texts = language && (await findTexts(db, storeId, language))
  return buildTermTranslator(texts?.terms)
}

async function findTexts(db: Db, storeId: string, language: Language): Promise<OfferTexts | null> {
  const row = await db.one<{ texts: OfferTexts | null }>(sql`
    select ${textsIn('stores', language)} as texts
    from stores
    where id = ${storeId}`)
  return row?.texts ?? null
}

/** The offer in this language. */
export async function findOfferIn(db: Db, store: Store, language: Language): Promise<Offer> {
  const translation = chooseTranslation(store, language)
  if (translation === null) return findOffer(db, store)
  const [offer, texts] = await Promise.all([findOffer(db, store), findTexts(db, store.id, translation)])
  return texts ? offerIn(offer, texts) : offer
}

export function offerIn(offer: Offer, texts: OfferTexts): Offer {
  const translateTerm = buildTermTranslator(texts.terms)
  const orNull = (text: string | null) => text && translateTerm(text)
  return {
    ...offer,
    asking: { ...offer.asking, marketing_text: orNull(offer.asking.marketing_text) },
    ...presentTexts(texts, ['store_title', 'description']),
    shipping_rates: offer.shipping_rates.map((rate) => ({
      ...rate,
      name: orNull(rate.name),
      description: orNull(rate.description),
      pickup_address: orNull(rate.pickup_address),
      pickup_hours: orNull(rate.pickup_hours),
    })),
    payment_methods: offer.payment_methods.map((method) => ({
      ...method,
      name: orNull(method.name),
      instructions: orNull(method.instructions),
    })),
    custom_fields: offer.custom_fields.map((field) => ({
      ...field,
      label: translateTerm(field.label),
      description: orNull(field.description),
    })),
    order_bumps: offer.order_bumps.map((bump) => ({
      ...bump,
      title: translateTerm(bump.title),
      description: orNull(bump.description),
    })),
  }
}
