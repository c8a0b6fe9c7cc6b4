// What strangers typed is sent to addresses that strangers typed: it must not carry another's advertisement.

/** What people typed stays in its line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** What is no name, e.g. a link, is not sent. */
export function nameIn(typed: string | null): string | null {
  const name = oneLine(typed ?? '')
  return /^[\p{L}\p{M}' .-]{1,60}$/u.test(name) && !/\.\S/.test(name) ? name : null
}

/** Reads the same, but no mail program makes a link of it: what joins the parts of one is followed by nothing. */
export function unlinked(typed: string): string {
  return oneLine(typed).replace(/([.:@])(?=[\p{L}\d/])/gu, '$1\u200b')
}
