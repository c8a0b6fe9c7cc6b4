// What a store offers, as it is read in another language.
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import type { Language } from '../kit/values/language.ts'
import { translated } from '../stores/language.ts'
import type { Store } from '../stores/store.ts'
import { said, termsOf, type Term } from '../stores/terms.ts'
import { textsIn } from '../stores/translations.ts'
import { findOffer, type Offer } from './offer.ts'

type OfferTexts = { store_title?: string | null; description?: string | null; terms: Term[] }

/** The offer for who reads in this language. */
export async function findOfferIn(db: Db, store: Store, language: Language): Promise<Offer> {
  const spoken = translated(store, language)
  if (spoken === null) return findOffer(db, store)
  const [offer, known] = await Promise.all([
    findOffer(db, store),
    db.one<{ texts: OfferTexts | null }>(sql`
      select ${textsIn('stores', spoken)} as texts
      from stores
      where id = ${store.id}`),
  ])
  return known?.texts ? offerIn(offer, known.texts) : offer
}

export function offerIn(offer: Offer, texts: OfferTexts): Offer {
  const called = termsOf(texts.terms)
  const orNull = (text: string | null) => text && called(text)
  return {
    ...offer,
    ...said(texts, ['store_title', 'description']),
    shipping_rates: offer.shipping_rates.map((rate) => ({
      ...rate,
      name: orNull(rate.name),
      description: orNull(rate.description),
      pickup_address: orNull(rate.pickup_address),
    })),
    payment_methods: offer.payment_methods.map((method) => ({
      ...method,
      name: orNull(method.name),
      instructions: orNull(method.instructions),
    })),
    order_bumps: offer.order_bumps.map((bump) => ({
      ...bump,
      title: called(bump.title),
      description: orNull(bump.description),
    })),
  }
}
