// What pages of every site say, in the words of src/platform/languages.
import { speaks } from '../languages/words.ts'

export const pageWords = speaks('pages')

export type PageWord = Parameters<ReturnType<typeof pageWords>>[0]
