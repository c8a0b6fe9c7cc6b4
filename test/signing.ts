// Signed requests of agents, by a library that others wrote.
import { createHash, generateKeyPairSync, randomUUID, type JsonWebKey, type KeyObject } from 'node:crypto'
import { createSigner, httpbis } from 'http-message-signatures'
import { capabilityNames, keysMember, newest, type Release } from '../src/extensions/ucp/releases.ts'
import { platformProfile, type UcpAnswer, type UcpWorld } from './ucp.ts'

export type SigningKey = { jwk: JsonWebKey & { kid: string }; privateKey: KeyObject; alg: string }

// prettier-ignore
const pairs = {
  'ecdsa-p256-sha256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'ecdsa-p384-sha384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'ed25519':           () => generateKeyPairSync('ed25519'),
  'rsa-pss-sha512':    () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

export function signingKey(alg: keyof typeof pairs = 'ecdsa-p256-sha256', kid: string = randomUUID()): SigningKey {
  const { publicKey, privateKey } = pairs[alg]()
  return { jwk: { ...publicKey.export({ format: 'jwk' }), kid }, privateKey, alg }
}

export function profileWith(keys: readonly JsonWebKey[], release: Release = newest): string {
  return JSON.stringify({ ...platformProfile(release, capabilityNames), [keysMember[release]]: keys })
}

export type Call = {
  method?: string
  path?: string
  body?: unknown
  profile: string | null
  key: SigningKey
  headers?: Record<string, string>
  /** Covered components; the required ones if left out. */
  fields?: string[]
  /** Parameters of the signature. */
  parameters?: Record<string, Date | string>
  /** The time of the signature, if it has one. */
  now?: Date
}

/** The headers of a signed call. */
export async function signedHeaders(domain: string, call: Call): Promise<Record<string, string>> {
  const { method = 'POST', path = '/ucp/catalog/search', body, profile, key } = call
  const isWrite = call.headers?.['idempotency-key'] !== undefined
  const parameters = call.parameters ?? (isWrite ? { created: call.now ?? new Date() } : {})
  const text = textOf(body)
  const headers: Record<string, string> = {
    ...(profile === null ? {} : { 'ucp-agent': `profile="${profile}"` }),
    ...(text === null ? {} : { 'content-type': 'application/json', 'content-digest': digestOf(text) }),
    ...call.headers,
  }
  const query = path.includes('?') ? ['@query'] : []
  const fields = call.fields ?? ['@method', '@authority', '@path', ...query, ...Object.keys(headers)]
  const signer = createSigner(key.privateKey, key.alg, key.jwk.kid)
  const config = {
    key: signer,
    name: 'sig1',
    fields,
    params: ['keyid', ...Object.keys(parameters)],
    paramValues: parameters,
  }
  const { headers: all } = await httpbis.signMessage(config, { method, url: `http://${domain}${path}`, headers })
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), String(value)]))
}

export async function callSigned(
  { http, clock }: Pick<UcpWorld, 'http' | 'clock'>,
  domain: string,
  call: Call,
): Promise<UcpAnswer> {
  const { method = 'POST', path = '/ucp/catalog/search', body } = call
  return http(domain, method, path, {
    headers: await signedHeaders(domain, { now: clock.now(), ...call }),
    ...(body === undefined ? {} : { body: textOf(body)! }),
  })
}

function textOf(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export function digestOf(text: string): string {
  return `sha-256=:${createHash('sha256').update(text).digest('base64')}:`
}
