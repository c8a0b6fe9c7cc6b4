// Texts of the shop's pages.
import shop from '../../../../languages/en/shop.json' with { type: 'json' }
import { translatorFor } from '../../../platform/languages/translator.ts'

export const shopTranslator = translatorFor({ shop })

export type ShopTranslate = ReturnType<typeof shopTranslator>

export type ShopMessageKey = keyof typeof shop
