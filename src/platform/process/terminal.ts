// Text that strangers wrote, for a person's terminal: a merchant's name must not move the cursor or set the title.
import { stripVTControlCharacters } from 'node:util'

// Controls but the new line, and what turns the direction of the text around.
const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu

export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\t', ' ').replace(unprintable, '')
}
