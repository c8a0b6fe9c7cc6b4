// What the pages of a shop say, in the words of src/platform/languages.
import { speaks } from '../../../platform/languages/words.ts'

export const shopTranslator = speaks('shop')

export type ShopTranslate = ReturnType<typeof shopTranslator>

export type ShopMessageKey = Parameters<ShopTranslate>[0]
