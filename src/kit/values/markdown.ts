// Texts in Markdown without its marks, for previews, feeds and search engines.

// Bounded, so that the time is linear in the text.
const atStart = /^ {0,3}(?:#{1,6}|[>*+-]|\d{1,9}[.)]) /
const links = /!?\[([^[\]]{0,500})\]\([^()]{0,2048}\)/g
const emphasis = /(?<![\p{L}\p{N}*_\\])([*_])(?=\S)([^*_\n]{1,500})(?<=\S)\1(?![\p{L}\p{N}*_])/gu

/** Returns the words alone. src/dashboard/assets/preview.ts does the same while a text is typed. */
export function stripMarkdown(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(atStart, ''))
  const words = lines
    .join('\n')
    .replaceAll(links, '$1')
    .replaceAll(/\*\*|__|`/g, '')
  return words.replaceAll(emphasis, '$2').replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
}

const inline = /[*_`[\]<>\\~]|&#?\w{1,31};/
const block = /^(?:(?:#{1,6}|[>+-]|\d{1,9}[.)])(?:\s|$)|[=-]+$)|\|/

/** True if the text has nothing that Markdown would change, except paragraphs. */
export function isPlain(text: string): boolean {
  return !inline.test(text) && !text.split('\n').some((line) => block.test(line.trim()))
}
