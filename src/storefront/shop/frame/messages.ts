// Texts of the shop's pages, from src/platform/languages.
import { speaks } from '../../../platform/languages/words.ts'

export const shopTranslator = speaks('shop')

export type ShopTranslate = ReturnType<typeof shopTranslator>

export type ShopMessageKey = Parameters<ShopTranslate>[0]
