// What browsers send beside path and form: queries, cookies.

export function firstOfEach(query: Record<string, string | string[]>): Record<string, string> {
  const firsts = Object.entries(query).map(([name, value]): [string, string] => [name, [value].flat()[0] ?? ''])
  return Object.fromEntries(firsts.filter(([, value]) => isPlain(value)))
}

/** What PostgreSQL's text can hold. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

export function cookiesOf(header = ''): Record<string, string> {
  const pairs = header.split(';').map((part) => part.trim().split('='))
  return Object.fromEntries(pairs.filter(([name]) => name).map(([name, ...value]) => [name, value.join('=')]))
}
