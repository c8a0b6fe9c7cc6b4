// A shop in another language: translated texts replace its own.
import type { Language } from '../../kit/values/language.ts'
import type { Offer } from '../checkout/offers/offer.ts'
import { offerIn } from '../checkout/offers/offertexts.ts'
import { presentTexts, buildTermTranslator, type TranslateTerm } from '../../tenancy/stores/terms.ts'
import type { Face } from './face.ts'
import { faceTextNames, type ShopTexts } from './shoptexts.ts'

/** The shop in this language. */
export function shopIn<S extends { face: Face; offer: Offer }>(
  shop: S,
  language: Language,
): S & { translateTerm: TranslateTerm } {
  const texts = shop.face.translations?.[language]
  const translateTerm = buildTermTranslator(texts?.terms)
  return texts
    ? { ...shop, translateTerm, face: faceIn(shop.face, texts), offer: offerIn(shop.offer, texts) }
    : { ...shop, translateTerm }
}

function faceIn(face: Face, texts: ShopTexts): Face {
  const translateTerm = buildTermTranslator(texts.terms)
  const menuIn = (menu: Face['header_menu']) =>
    menu.map((entry) => ({
      ...entry,
      label: translateTerm(entry.label),
      isTranslated: translateTerm(entry.label) !== entry.label,
    }))
  return {
    ...face,
    ...presentTexts(texts, faceTextNames),
    header_menu: menuIn(face.header_menu),
    footer_menu: menuIn(face.footer_menu),
  }
}
