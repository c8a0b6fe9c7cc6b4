// Texts that look the same are equal: keyboards compose accents differently, and pasted text has invisible characters.

/**
 * The text as it looks: composed, of plain letters, without invisible code points, with single spaces and none at the
 * ends.
 */
export function plainText(text: string): string {
  return visibleText(text).normalize('NFKC').replace(/\s+/g, ' ').trim()
}

/** Removes joiners, soft hyphens, direction marks and the like. */
export function visibleText(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
}

/** One character may become eighteen, and an index entry has a maximum. */
const maxKeyLength = 400

/** The form in which names are compared: names with the same key are equal. */
export function nameKey(name: string): string {
  const folding = plainText(name).toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ').normalize('NFKC')
  return folding.slice(0, maxKeyLength).toWellFormed()
}
