// Texts that look the same are the same: however a keyboard composes an accent, and whatever a paste brings along.

/** As it looks: composed, of plain letters, without code points that show nothing, with single blanks inside alone. */
export function plainText(text: string): string {
  return visibleText(text).normalize('NFKC').replace(/\s+/g, ' ').trim()
}

/** Without joiners, soft hyphens, direction marks and the like. */
export function visibleText(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
}

/** A character may become eighteen, and an index entry has a maximum. */
const maximumKeyLength = 400

/** What names are compared by: those of one key are one name. */
export function nameKey(name: string): string {
  const folded = plainText(name).toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ').normalize('NFKC')
  return folded.slice(0, maximumKeyLength).toWellFormed()
}
