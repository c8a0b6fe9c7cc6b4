// Keys of signatures as others publish them: JSON Web Keys (RFC 7517).
import { createHash, createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto'

export type Jwk = JsonWebKey & { kid: string }

type Algorithm = { jwa: string; name: string; hash: string | null }

/** By curve; `name` is that of the registry of RFC 9421. */
const algorithms: Record<string, Algorithm> = {
  'P-256': { jwa: 'ES256', name: 'ecdsa-p256-sha256', hash: 'sha256' },
  'P-384': { jwa: 'ES384', name: 'ecdsa-p384-sha384', hash: 'sha384' },
  Ed25519: { jwa: 'EdDSA', name: 'ed25519', hash: null },
}

const maxKeys = 20

const maxFieldLength = 200

/**
 * The keys of a document that can verify signatures, with the fields that are used. RFC 7517 §4.2 and §4.3: others are
 * skipped.
 */
export function verificationKeys(keys: unknown): Jwk[] {
  if (!Array.isArray(keys)) return []
  return keys.slice(0, maxKeys).flatMap((key) => {
    if (typeof key !== 'object' || key === null || typeof key.kid !== 'string') return []
    const { use = 'sig', key_ops = ['verify'], kid, kty, crv, x, y, alg } = key
    if (use !== 'sig' || !Array.isArray(key_ops) || !key_ops.includes('verify')) return []
    const own = Object.entries({ kid, kty, crv, x, y, alg }).filter(([, value]) => value !== undefined)
    const isShort = own.every(([, value]) => typeof value === 'string' && value.length <= maxFieldLength)
    return isShort ? [Object.fromEntries(own) as Jwk] : []
  })
}

export type Verifier = {
  /** Its name in the `alg` parameter of a signature. */
  name: string
  verifies(text: string, signature: Buffer): boolean
}

/** Returns null if the key is invalid or its algorithm is not supported. */
export function buildVerifier(jwk: Jwk): Verifier | null {
  const algorithm = Object.hasOwn(algorithms, jwk.crv ?? '') ? algorithms[jwk.crv!]! : null
  if (!algorithm || (jwk.alg !== undefined && jwk.alg !== algorithm.jwa)) return null
  const key = importKey(jwk)
  if (!key) return null
  const { name, hash } = algorithm
  return {
    name,
    verifies: (text, signature) => verify(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature),
  }
}

function importKey({ kty, crv, x, y }: Jwk): KeyObject | null {
  try {
    return createPublicKey({ format: 'jwk', key: { kty, crv, x, y } as JsonWebKey })
  } catch {
    return null
  }
}

/** The thumbprint of one of the keys above (RFC 7638). */
export function computeThumbprint({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}
