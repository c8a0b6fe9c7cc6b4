// HTTP Message Signatures (RFC 9421): what the signatures of a request say they cover, and the text that was signed.
import {
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
  type Dictionary,
  type InnerList,
  type Item,
} from 'structured-headers'

export type SignedRequest = {
  method: string
  scheme: 'http' | 'https'
  /** Host and port as the sender meant them. */
  authority: string
  /** Path and query as sent. */
  target: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

export type MessageSignature = {
  label: string
  /** The components that are covered whole, e.g. "@method". */
  covered: ReadonlySet<string>
  /** Components that are covered in part, e.g. one member of a dictionary by `key` (§2.1.2). */
  partly: ReadonlySet<string>
  /** Parameters of the signature that are texts: keyid, alg, nonce, tag. */
  text(name: 'keyid' | 'alg' | 'nonce' | 'tag'): string | null
  /** Parameters that are times, in Unix seconds. */
  seconds(name: 'created' | 'expires'): number | null
  value: Buffer
  /** The signed text; null if the request lacks a covered component, or one is of a kind that is not supported. */
  base: string | null
}

/** Null if the headers cannot be read, or one of them lacks a signature that the other has. */
export function readSignatures(request: SignedRequest): MessageSignature[] | null {
  const inputs = parseDictionaryField(request.headers['signature-input'])
  const values = parseDictionaryField(request.headers.signature)
  if (!inputs || !values || inputs.size === 0 || inputs.size !== values.size) return null
  const signatures = [...inputs].map(([label, input]) => {
    const value = values.get(label)?.[0]
    return isInnerList(input) && value instanceof ArrayBuffer ? toMessageSignature(request, label, input, value) : null
  })
  return signatures.every((signature) => signature !== null) ? signatures : null
}

function toMessageSignature(
  request: SignedRequest,
  label: string,
  input: InnerList,
  value: ArrayBuffer,
): MessageSignature {
  const [components, parameters] = input
  return {
    label,
    covered: new Set(components.flatMap(([name, { size }]) => (size === 0 ? [String(name)] : []))),
    partly: new Set(components.flatMap(([name, { size }]) => (size > 0 ? [String(name)] : []))),
    text(name) {
      const text = parameters.get(name)
      return typeof text === 'string' ? text : null
    },
    seconds(name) {
      const seconds = parameters.get(name)
      return Number.isSafeInteger(seconds) ? Number(seconds) : null
    },
    value: Buffer.from(value),
    base: signatureBase(request, input),
  }
}

/** RFC 9421 §2.5. */
export function signatureBase(request: SignedRequest, input: InnerList): string | null {
  const names = input[0].map(serializeItem)
  const values = input[0].map((component) => readComponentValue(request, component))
  if (values.includes(null) || new Set(names).size < names.length) return null
  const lines = names.map((name, index) => `${name}: ${values[index]}`)
  return [...lines, `"@signature-params": ${serializeInnerList(input)}`].join('\n')
}

const derivedComponents: Record<string, (request: SignedRequest) => string> = {
  '@method': ({ method }) => method,
  '@authority': normalizeAuthority,
  '@scheme': ({ scheme }) => scheme,
  '@target-uri': (request) => `${request.scheme}://${normalizeAuthority(request)}${request.target}`,
  '@request-target': ({ target }) => target,
  '@path': ({ target }) => target.split('?', 1)[0]!,
  '@query': ({ target }) => `?${target.split('?').slice(1).join('?')}`,
}

/** RFC 9421 §2.2.3: in lower case, without the port of the scheme. */
function normalizeAuthority({ authority, scheme }: SignedRequest): string {
  return authority.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '')
}

/** The only supported parameter is `key`, a member of a dictionary. */
function readComponentValue(request: SignedRequest, [name, parameters]: Item): string | null {
  if (typeof name !== 'string') return null
  if (name.startsWith('@')) return parameters.size === 0 ? (derivedComponents[name]?.(request) ?? null) : null
  const field = request.headers[name]
  if (field === undefined || name !== name.toLowerCase()) return null
  if (parameters.size === 0)
    return [field]
      .flat()
      .map((value) => value.trim())
      .join(', ')
  const key = parameters.get('key')
  if (parameters.size > 1 || typeof key !== 'string') return null
  const member = parseDictionaryField(field)?.get(key)
  if (!member) return null
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member)
}

/** A field that is a dictionary (RFC 8941); null if it is absent or something else. */
export function parseDictionaryField(field: string | string[] | undefined): Dictionary | null {
  if (field === undefined) return null
  try {
    return parseDictionary([field].flat().join(', '))
  } catch {
    return null
  }
}
