// The common texts of pages of every site.
import pages from '../../../languages/en/pages.json' with { type: 'json' }
import { translatorFor } from '../languages/translator.ts'

export const pageTranslator = translatorFor({ pages })

export type PageMessageKey = keyof typeof pages
