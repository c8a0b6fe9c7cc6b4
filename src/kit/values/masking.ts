// The secrets that no log shows: one table for the request log, the audit log and events. Each pattern takes time in
// proportion to the text.

export const maskedText = '***'

type SecretKind = 'key' | 'token' | 'jwt' | 'query' | 'card'
type Mask = { what: SecretKind; pattern: RegExp; becomes: string | ((text: string) => string) }

// prettier-ignore
const secrets: readonly Mask[] = [
  { what: 'key',   pattern: /\b(?:[a-z]{2,4}_(?:live|test|sandbox)_|whsec_)[\w\-.~+/=]+/g, becomes: maskedText },
  { what: 'token', pattern: /\bBearer +[\w\-.~+/=]{6,}/g, becomes: maskedText },
  { what: 'jwt',   pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, becomes: maskedText },
  { what: 'query', pattern: /(?<=:\/\/[^\s?#"\\]{1,300})\?[^\s"\\]*/g, becomes: `?${maskedText}` },
  { what: 'card',  pattern: /(?<![\d+])\d(?:[ -]?\d){13,18}(?!\d)/g, becomes: card },
]

// Matches only from the start of a word, so that text without an @ is read once.
const email = /(?<![^\s@"\\<>(),;:])[^\s@"\\<>(),;:]+@[^\s@"\\<>(),;:]+/g

const suspicious = /:\/\/|_(?:live|test|sandbox)_|whsec_|Bearer|eyJ|\d[ -]?\d[ -]?\d[ -]?\d/

/** Masks everything that looks like a key, a token, a card's number or the query of an address. */
export const maskSecrets = masking(secrets)

/** Keeps the query of an address: it may lead to a map, or to an image that was uploaded for an order. */
export const maskCredentials = masking(secrets.filter(({ what }) => what !== 'query'))

function masking(masks: readonly Mask[]): (text: string) => string {
  return (text) =>
    suspicious.test(text)
      ? masks.reduce((rest, { pattern, becomes }) => rest.replace(pattern, becomes as string), text)
      : text
}

/** Masks email addresses too. */
export function maskText(text: string): string {
  const result = maskSecrets(text)
  return result.includes('@') ? result.replace(email, maskedText) : result
}

/** Masks every string and every name in a JSON value. */
export function maskEach(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((one) => maskEach(one, mask))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [mask(name), maskEach(inner, mask)]))
}

/** Names that a programmer would choose; any other may be a person's input. */
const identifier = /^[A-Za-z_$][\w$-]{0,63}$/

/** Masks the name or path of a field that is in no schema. */
export function maskName(path: string): string {
  const isName = (part: string) => identifier.test(part) || /^\d{1,4}$/.test(part)
  return path.length <= 200 && path.split('.').every(isName) ? maskText(path) : maskedText
}

// The prefixes and lengths of ISO/IEC 7812 that card networks have issued; other numbers, such as article numbers, are
// kept.
const cardNumbers = /^(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2[2-7]\d{14}|6\d{15}(?:\d{3})?|3[47]\d{13}|3[0689]\d{12})$/

function card(text: string): string {
  const number = text.replace(/\D/g, '')
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return cardNumbers.test(number) && sum % 10 === 0 ? maskedText : text
}
