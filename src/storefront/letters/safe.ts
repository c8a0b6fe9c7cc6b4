// Strangers choose both the text and the address of such emails: they must not carry advertisements.

/** Keeps typed text in one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Drops a text that is not a name, such as a link. */
export function nameIn(text: string | null): string | null {
  const name = oneLine(text ?? '')
  return /^[\p{L}\p{M}' .-]{1,60}$/u.test(name) && !/\.\S/.test(name) ? name : null
}

/** Adds invisible characters, so that mail programs do not turn the text into a link. */
export function withoutLinks(text: string): string {
  return oneLine(text).replace(/([.:@])(?=[\p{L}\d/])/gu, '$1\u200b')
}
