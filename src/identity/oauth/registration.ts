// Client metadata (RFC 7591): the contract's fields and nothing else, each with its limit.
import type { ClientMetadata } from 'oidc-provider'
import { fault, formatReason, type Fault, type Sentence, type Filling, generalFaults } from '../../kit/values/faults.ts'
import { unknownScopes } from '../apikeys/scopes.ts'
import { clientFaults } from './errors.ts'

const requestFields = [
  'client_name',
  'redirect_uris',
  'grant_types',
  'response_types',
  'scope',
  'token_endpoint_auth_method',
  'software_id',
  'software_version',
  'logo_uri',
  'client_uri',
  'policy_uri',
  'tos_uri',
] as const

/** Fields that the library stores beside its own. */
export const ownFields = ['software_id', 'software_version']

const issuedFields = ['client_id', 'client_secret', 'client_id_issued_at', 'client_secret_expires_at'] as const
const maximum = { name: 200, uri: 2048, redirects: 20, list: 10, scope: 1000, software: 255 }
const addresses = ['logo_uri', 'client_uri', 'policy_uri', 'tos_uri'] as const

type MutableMetadata = Record<string, unknown> & ClientMetadata

/** Throws InvalidMetadata, or leaves clean metadata. */
export function checkMetadata(metadata: MutableMetadata): void {
  const fields = new Set<string>([...requestFields, ...issuedFields, 'application_type'])
  for (const [field, value] of Object.entries(metadata)) {
    if (!fields.has(field) || value === null || value === '') delete metadata[field]
  }

  metadata.client_name = cleanName(metadata.client_name)
  if (!metadata.client_name) throw invalidMetadata('client_name', generalFaults.required)
  metadata.application_type = checkRedirects(metadata.redirect_uris)
  for (const field of ['grant_types', 'response_types'] as const) checkList(field, metadata[field])
  for (const field of addresses) checkText(field, metadata[field], maximum.uri)
  for (const field of ownFields) checkText(field, metadata[field], maximum.software)
  checkText('scope', metadata.scope, maximum.scope)
  if (metadata.scope) metadata.scope = withoutOfflineAccess(metadata.scope)
  if (metadata.scope === '') delete metadata.scope
  const names = unknownScopes(metadata.scope?.split(' ') ?? [])
  if (names.length > 0) throw invalidMetadata('scope', clientFaults.scope_unknown, { scope: printable(names[0]!) })
}

/**
 * OpenID Connect Core §11 requests refresh tokens by a scope. It is accepted and dropped: the grant type
 * `refresh_token` provides them.
 */
export const offlineAccess = 'offline_access'

export function withoutOfflineAccess(scope: string): string {
  return scope
    .split(' ')
    .filter((name) => name !== offlineAccess)
    .join(' ')
}

export class InvalidMetadata extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(`${fault.field} ${formatReason(fault)}`)
    this.fault = fault
  }
}

function invalidMetadata<S extends Sentence>(field: string, sentence: S, ...filling: Filling<S>): Error {
  return new InvalidMetadata(fault(field, sentence, ...filling))
}

/**
 * A name that merchants see: normalized (NFKC), without invisible characters or marks that pile up over the warnings
 * around it. No script sets more than four marks on a letter. Control sequences and changes of direction are refused,
 * and so is a word that imitates another by letters of a second script.
 */
function cleanName(name: unknown): string {
  if (typeof name !== 'string') return ''
  if (steering.test(name)) throw invalidMetadata('client_name', clientFaults.steers_text)
  const text = name.toWellFormed().normalize('NFKC')
  if (text.split(/[^\p{L}\p{M}\p{N}]+/u).some(isMixed)) {
    throw invalidMetadata('client_name', clientFaults.mixes_scripts)
  }
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{DI}\u2800]/gu, '')
  const clean = visible
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
  if (clean.length > maximum.name) throw invalidMetadata('client_name', generalFaults.too_long, { limit: maximum.name })
  return clean
}

// Allows only blanks among the controls, and no character that sets the direction of text (UAX #9 §2).
const steering = /[^\P{Cc}\t\n\v\f\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

const alike = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

function isMixed(word: string): boolean {
  return alike.filter((script) => script.test(word)).length > 1
}

export const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns the application type: a native one may use any port of the loopback (RFC 8252 §7.3). */
function checkRedirects(uris: unknown): 'native' | 'web' {
  const isList = Array.isArray(uris) && uris.length >= 1 && uris.length <= maximum.redirects
  if (!isList) throw invalidMetadata('redirect_uris', clientFaults.no_list_of_addresses, { limit: maximum.redirects })
  const urls = uris.map((uri) => checkRedirect(uri))
  const isOn = (protocol: string) => urls.some((url) => url.protocol === protocol && loopbacks.has(url.hostname))
  // The library knows no native client with https on the loopback: with both, ports are compared exactly.
  return isOn('http:') && !isOn('https:') ? 'native' : 'web'
}

/** True for a redirect URI that a registration may have. */
export function isRedirectAddress(uri: unknown): boolean {
  try {
    checkRedirect(uri)
    return true
  } catch (error) {
    if (error instanceof InvalidMetadata) return false
    throw error
  }
}

function checkRedirect(uri: unknown): URL {
  const url = typeof uri === 'string' && uri.length <= maximum.uri && /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null
  if (!url) throw invalidMetadata('redirect_uris', clientFaults.no_absolute_address)
  const isPlainLoopback = url.protocol === 'http:' && loopbacks.has(url.hostname)
  if (url.protocol !== 'https:' && !isPlainLoopback) {
    throw invalidMetadata('redirect_uris', clientFaults.no_redirect_address)
  }
  if (url.username || url.password) throw invalidMetadata('redirect_uris', clientFaults.has_credentials)
  if (String(uri).includes('#')) throw invalidMetadata('redirect_uris', clientFaults.has_fragments)
  if (!/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname))
    throw invalidMetadata('redirect_uris', clientFaults.no_host_named)
  return url
}

function checkList(field: string, value: unknown): void {
  if (value === undefined) return
  const isList =
    Array.isArray(value) && value.length <= maximum.list && value.every((entry) => typeof entry === 'string')
  if (!isList) throw invalidMetadata(field, clientFaults.no_list_of_texts, { limit: maximum.list })
}

function checkText(field: string, value: unknown, length: number): void {
  if (value === undefined) return
  const isText = typeof value === 'string' && value.length <= length && value.isWellFormed() && !/\p{Cc}/u.test(value)
  if (!isText) throw invalidMetadata(field, clientFaults.no_text, { limit: length })
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]|"|\\/g, '?').slice(0, 100)
}

/** The response to a registration: the contract's fields, without the library's defaults. */
export function registrationAnswer(metadata: Record<string, unknown>): Record<string, unknown> {
  const fields = [...issuedFields, ...requestFields].filter((field) => metadata[field] !== undefined)
  return Object.fromEntries(fields.map((field) => [field, metadata[field]]))
}
