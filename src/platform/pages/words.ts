// The common texts of pages of every site, from src/platform/languages.
import { speaks } from '../languages/words.ts'

export const pageWords = speaks('pages')

export type PageWord = Parameters<ReturnType<typeof pageWords>>[0]
