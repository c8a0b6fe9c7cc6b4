// What the pages of a shop say, in the words of src/languages.
import { speaks } from '../languages/words.ts'

export const sayIn = speaks('shop')

export type Say = ReturnType<typeof sayIn>

export type Word = Parameters<Say>[0]
