// Emails that extensions compose, in the layout of the others.
import type { Db } from '../../kit/database/database.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { extensionFaults } from '../../platform/postgres/extensionmigrations.ts'
import type { AccountValues } from '../../tenancy/emails/queue.ts'
import type { ComposeLetter, Extension, ExtensionLetter } from '../../tenancy/extensions/extension.ts'
import { openShopLinks } from '../../tenancy/extensions/shoplinks.ts'
import { openTexts, type ExtensionText } from '../../tenancy/extensions/texts.ts'
import type { Block, LetterContent } from './letter.ts'
import { oneLine } from './safe.ts'
import { buildLetterSender, shopUrl, type LetterStore } from './store.ts'

type Composer = { compose: ComposeLetter; texts: (language: Language) => ExtensionText }

/** By the names of the extension and of the letter: loyalty/welcome. */
export type ExtensionLetters = ReadonlyMap<string, Composer>

export function listExtensionLetters(extensions: readonly Extension[]): ExtensionLetters {
  return new Map(
    extensions.flatMap((extension) => {
      const texts = openTexts(extension)
      const letters = Object.entries(extension.letters ?? {})
      return letters.map(([name, compose]): [string, Composer] => [`${extension.name}/${name}`, { compose, texts }])
    }),
  )
}

type Letter = LetterContent & { unsubscribeUrl: string | null }

type LetterReader = { store: LetterStore; language: Language; values: AccountValues | null }

/** An email waits as long as its extension is off. */
export async function composeExtensionLetter(
  db: Db,
  vault: Vault,
  letters: ExtensionLetters,
  { store, language, values }: LetterReader,
): Promise<Letter | { unwanted: string }> {
  if (values === null) return { unwanted: "The recipient's data has been erased" }
  const { extension, letter, ...own } = values
  const composer = letters.get(`${extension}/${letter}`)
  if (!composer) return { unwanted: `The extension ${extension} is not there` }
  if (extensionFaults.has(String(extension))) throw new Error(`the extension ${extension} is off`)
  const links = openShopLinks(vault, store.id, String(extension))
  const text = composer.texts(language)
  const composed = await composer.compose({ db, store, language, values: own, text, links })
  if ('unwanted' in composed) return composed
  const { subject, parts, unsubscribePath } = composed
  return {
    language,
    subject: oneLine(subject),
    sender: buildLetterSender(store),
    blocks: parts.map((part) => toBlock(part, (path) => shopUrl(store, path, language))),
    unsubscribeUrl: unsubscribePath === undefined ? null : shopUrl(store, unsubscribePath, language),
  }
}

function toBlock(part: ExtensionLetter['parts'][number], toUrl: (path: string) => string): Block {
  return 'path' in part ? { kind: part.kind, text: part.text, url: toUrl(part.path) } : part
}
