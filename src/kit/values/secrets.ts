// Random secrets, their hashes, and sealing for the few that must be read again.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hash,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 40 base62 characters are 238 bits. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join('')
}

export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** Never begins with a hyphen, which programs of the command line take for an option. */
export function randomBase64url(bytes: number): string {
  const text = randomBytes(bytes).toString('base64url')
  return text.startsWith('-') ? randomBase64url(bytes) : text
}

/** The hash that the database keeps of a high-entropy secret. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(hashSecret(a), hashSecret(b))
}

export type Vault = {
  /** AES-256-GCM, bound to its place: a sealed text moved to another record does not open. */
  seal(text: string, place: string): string
  open(ciphertext: string, place: string): string
  /** Signs a text, so that we recognize our own: HMAC-SHA256, bound to its place; 43 characters for an address. */
  sign(text: string, place: string): string
}

/**
 * `key` is any text of enough entropy; its hash is the cipher's key, the hash's first digits the key id. `isRepeatable`
 * seals the same text at the same place alike: its nonce is a signature of both.
 */
export function vault(key: string, { isRepeatable = false } = {}): Vault {
  // Made once: each use of raw bytes would make a key of them first.
  const cipherKey = createSecretKey(hashSecret(`stoa vault ${key}`))
  const signingKey = createSecretKey(hashSecret(`stoa signature ${key}`))
  const keyId = createHash('sha256').update(cipherKey.export()).digest('hex').slice(0, 8)
  const signature = (text: string, place: string) =>
    createHmac('sha256', signingKey).update(`${place}\0${text}`).digest()
  return {
    seal(text, place) {
      const iv = isRepeatable ? signature(text, place).subarray(0, 12) : randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, iv).setAAD(Buffer.from(place))
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `${keyId}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}`
    },
    open(ciphertext, place) {
      const [id, data] = ciphertext.split('.')
      if (id !== keyId) throw new Error(`sealed with key ${id}, but SECRET_KEY is key ${keyId}`)
      const bytes = Buffer.from(data ?? '', 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, 12))
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(12, 28))
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
    },
    sign: (text, place) => signature(text, place).toString('base64url'),
  }
}
