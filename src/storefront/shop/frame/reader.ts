// The part of the context that depends on the reader: language, messages, and the shop's own texts in it.
import type { Language } from '../../../kit/values/language.ts'
import { priceIn } from '../../../kit/values/prices.ts'
import type { Offer } from '../../checkout/offers/offer.ts'
import type { Face } from '../../branding/face.ts'
import { shopIn } from '../../branding/translations.ts'
import { offeredLanguages, chooseTranslation } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { ShopContext } from './page.ts'
import { shopTranslator } from './messages.ts'
import { chooseTaxView, readTaxWay } from './taxview.ts'

type ReaderContext = Pick<
  ShopContext,
  'language' | 'languages' | 'translation' | 't' | 'price' | 'taxView' | 'offer' | 'face' | 'translateTerm'
>

export function readerContext(
  store: Store,
  language: Language,
  shop: { offer: Offer; face: Face },
  askedTax?: string,
): ReaderContext {
  return {
    ...shopIn(shop, language),
    language,
    languages: offeredLanguages(store),
    translation: chooseTranslation(store, language),
    t: shopTranslator(language),
    price: priceIn(language, store),
    taxView: chooseTaxView(shop.offer, store, readTaxWay(askedTax)),
  }
}
