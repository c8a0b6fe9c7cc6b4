// Reads the TXT records of a name, by which merchants prove that a domain is theirs.
import { Resolver } from 'node:dns/promises'

export type TextResolver = { resolveTxt: (name: string) => Promise<string[][]> }
/** The texts at a name, or the reason why they are unavailable now. */
type TextRecords = { texts: string[] } | { failure: string }
export type TextLookup = (name: string) => Promise<TextRecords>

const noSuchName = new Set(['ENOTFOUND', 'ENODATA'])
const own = { timeout: 1_000, tries: 2 }

export function textLookup(customResolver?: Partial<TextResolver>): TextLookup {
  return async (name) => {
    // A new resolver sees a changed resolv.conf.
    const resolver = customResolver?.resolveTxt ? (customResolver as TextResolver) : new Resolver(own)
    try {
      return { texts: (await resolver.resolveTxt(name)).map((parts) => parts.join('')) }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN'
      return noSuchName.has(code) ? { texts: [] } : { failure: code }
    }
  }
}
