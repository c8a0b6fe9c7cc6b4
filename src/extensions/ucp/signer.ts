// Verifies the signature of a request with a key of the profile in its UCP-Agent header (specification, "Message
// Signatures" and "Identity Resolution Algorithm"). Cheap checks come before a profile is fetched.
import { hash } from 'node:crypto'
import type { Clock } from '../../kit/values/clock.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { computeThumbprint, buildVerifier, type Jwk } from '../../platform/signatures/jwk.ts'
import {
  parseDictionaryField,
  readSignatures,
  type MessageSignature,
  type SignedRequest,
} from '../../platform/signatures/message.ts'
import { profileIn, type Agent, type FindAgent } from './agent.ts'
import { Problem } from './problems.ts'

/** `isDated`: the signature says when it was created. */
export type Signer = Agent & { isDated: boolean }
export type VerifiableRequest = SignedRequest & { body: Buffer | null }
export type SignerDeps = { findAgent: FindAgent; limiter: RateLimiter; clock: Clock }

const maxSignatures = 4
/** The maximum age of a signature with `created`. */
const maxAgeSeconds = 300
/** The tolerated difference of clocks. */
const toleranceSeconds = 60

export function isSigned({ headers }: Pick<SignedRequest, 'headers'>): boolean {
  return headers.signature !== undefined || headers['signature-input'] !== undefined
}

/** One valid signature is enough. Throws the Problem of the first if none is valid. */
export async function requireSigner(request: VerifiableRequest, deps: SignerDeps): Promise<Signer> {
  const signatures = requireSignatures(request)
  let problem: Problem | undefined
  for (const signature of signatures.slice(0, maxSignatures)) {
    try {
      return await verifySigner(request, signature, deps)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem ??= error
    }
  }
  throw problem
}

function requireSignatures(request: VerifiableRequest): MessageSignature[] {
  const missing = ['signature', 'signature-input', 'ucp-agent'].filter((name) => request.headers[name] === undefined)
  if (missing.length > 0)
    throw new Problem('signature_missing', `A signed request has the header ${missing.join(', ')}`)
  const signatures = readSignatures(request)
  if (!signatures) throw new Problem('signature_invalid', 'Signature and Signature-Input cannot be read (RFC 9421)')
  return signatures
}

async function verifySigner(
  request: VerifiableRequest,
  signature: MessageSignature,
  deps: SignerDeps,
): Promise<Signer> {
  requireCoverage(request, signature)
  requireDigest(request)
  requireFresh(request, signature, deps.clock)
  const { agent, key } = await requireKey(request, signature, deps.findAgent)
  requireValid(signature, key)
  await requireNew(agent, signature, deps.limiter)
  return { ...agent, isDated: signature.seconds('created') !== null }
}

/** Anyone could have changed a part that the signature does not cover. */
function requireCoverage(
  { target, headers, body }: VerifiableRequest,
  { covered, partly, base }: MessageSignature,
): void {
  const fields = ['idempotency-key', 'ucp-agent', 'signature-agent'].filter((name) => headers[name] !== undefined)
  const components = [
    ...['@method', '@authority', '@path'],
    ...(target.includes('?') ? ['@query'] : []),
    ...(body ? ['content-digest', 'content-type'] : []),
    ...fields,
  ]
  // Web Bot Auth covers its own member of this dictionary; no other member is read.
  const isCovered = (name: string) => covered.has(name) || (name === 'signature-agent' && partly.has(name))
  const missing = components.filter((name) => !isCovered(name))
  if (missing.length > 0) throw new Problem('signature_invalid', `The signature does not cover ${missing.join(', ')}`)
  const absent = [...covered].filter((name) => !name.startsWith('@') && headers[name] === undefined)
  if (absent.length > 0)
    throw new Problem('signature_missing', `The signature covers ${absent.join(', ')}, which is absent`)
  if (base === null) throw new Problem('signature_invalid', 'The signature covers a component that is not supported')
}

/** RFC 9530, over the bytes as received. */
function requireDigest({ headers, body }: VerifiableRequest): void {
  const header = headers['content-digest']
  if (header === undefined) return
  const sentDigest = parseDictionaryField(header)?.get('sha-256')?.[0]
  const digest = hash('sha256', body ?? Buffer.alloc(0), 'buffer')
  if (sentDigest instanceof ArrayBuffer && digest.equals(Buffer.from(sentDigest))) return
  throw new Problem('digest_mismatch', 'Content-Digest has no SHA-256 digest, or not that of the body')
}

/** RFC 9421 §3.2.1. Without `created` a signature holds as long as its key. */
function requireFresh({ headers }: VerifiableRequest, signature: MessageSignature, clock: Clock): void {
  const now = clock.now().getTime() / 1000
  const [createdAt, expires] = [signature.seconds('created'), signature.seconds('expires')]
  if (expires !== null && expires + toleranceSeconds < now)
    throw new Problem('signature_invalid', 'The signature has expired')
  if (createdAt === null) {
    const isOnce = signature.text('nonce') !== null || headers['idempotency-key'] !== undefined
    if (!isOnce) return
    throw new Problem('signature_invalid', 'The signature of a write, or with a nonce, says when it was created')
  }
  if (createdAt > now + toleranceSeconds) throw new Problem('signature_invalid', 'The signature is from the future')
  if (createdAt + maxAgeSeconds < now)
    throw new Problem('signature_invalid', `The signature is older than ${maxAgeSeconds} seconds`)
}

async function requireKey(
  { headers }: VerifiableRequest,
  signature: MessageSignature,
  findAgent: FindAgent,
): Promise<{ agent: Agent; key: Jwk }> {
  const keyId = signature.text('keyid')
  if (keyId === null) throw new Problem('signature_missing', 'Signature-Input has no keyid')
  const tag = signature.text('tag')
  if (tag !== null && tag !== 'web-bot-auth')
    throw new Problem('signature_invalid', 'The signature has another purpose')
  let agent = await findAgent(profileIn(headers['ucp-agent']))
  const find = () => agent.keys.find(({ kid }) => kid === keyId)
  if (!find()) agent = await findAgent.refreshed(agent)
  const key = find()
  if (!key) throw new Problem('key_not_found', `The profile has no key ${keyId.slice(0, 100)}`)
  if (tag !== null && computeThumbprint(key) !== keyId) {
    throw new Problem('signature_invalid', 'The keyid is not the thumbprint of the key')
  }
  return { agent, key }
}

function requireValid(signature: MessageSignature, key: Jwk): void {
  const verifier = buildVerifier(key)
  if (!verifier || (signature.text('alg') ?? verifier.name) !== verifier.name) {
    throw new Problem('algorithm_unsupported', 'Signatures are by ES256, ES384 or Ed25519, as the key says')
  }
  if (verifier.verifies(signature.base!, signature.value)) return
  throw new Problem('signature_invalid', `The signature is not that of key ${key.kid.slice(0, 100)}`)
}

/** A nonce is used once, across all processes, until the signature is too old anyway. */
async function requireNew({ profile }: Agent, signature: MessageSignature, limiter: RateLimiter): Promise<void> {
  const nonce = signature.text('nonce')
  if (nonce === null) return
  const name = `nonce:${hash('sha256', `${profile}\n${nonce}`, 'base64url')}`
  const hit = await limiter.hit(name, 1, { windowSeconds: maxAgeSeconds + toleranceSeconds })
  if (!hit.allowed) throw new Problem('signature_invalid', 'The nonce was used before')
}
