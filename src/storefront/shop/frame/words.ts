// What the pages of a shop say, in the words of src/platform/languages.
import { speaks } from '../../../platform/languages/words.ts'

export const sayIn = speaks('shop')

export type Say = ReturnType<typeof sayIn>

export type Word = Parameters<Say>[0]
