// Escapes text for XML, and drops characters that XML does not allow.

const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

export const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n'

export function xml(text: string): string {
  return text.replaceAll(forbidden, '').replaceAll(/[&<>"']/g, (character) => entities[character]!)
}

/** `<name>text</name>`, or nothing without a text. */
export function element(name: string, text: string | number | null | undefined): string {
  return text === null || text === undefined || text === '' ? '' : `<${name}>${xml(String(text))}</${name}>\n`
}
