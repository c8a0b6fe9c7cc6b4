// Makes strangers' text safe for a terminal: a merchant's name must not move the cursor or set the title.
import { stripVTControlCharacters } from 'node:util'

// All control characters except the newline, and those that reverse the direction of text.
const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu

export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\t', ' ').replace(unprintable, '')
}

/** As a word of a shell. */
export function quote(word: string): string {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Prints one JSON object, or text without control characters. */
export function print(asJson: boolean, json: object, text: string): void {
  process.stdout.write(`${asJson ? JSON.stringify(json) : printable(text)}\n`)
}
