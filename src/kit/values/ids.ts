// Public ids are TypeIDs (a prefix and the base32 of a UUIDv7); the database holds the uuid.
import { randomFillSync, randomInt } from 'node:crypto'
import { v7 } from 'uuid'

/** The `prod` of `prod_01h455vb4pex5vsknk084sn02q`. Each resource declares its own. */
export type Prefix = string

// Crockford's base32, lower-case: https://github.com/jetify-com/typeid/tree/main/spec
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const digitByLetter = new Map([...alphabet].map((letter, digit) => [letter, digit]))

let lastTime = 0
let lastSequence = 0

/** A new uuid, as the database holds it. Those of this process are in the order in which they were made. */
export function newUuid(): string {
  const random = randomBytes()
  const now = Date.now()
  if (now > lastTime) {
    lastTime = now
    lastSequence = (random[6]! << 23) | (random[7]! << 16) | (random[8]! << 8) | random[9]!
  } else if ((lastSequence = (lastSequence + 1) | 0) === 0) lastTime++
  return v7({ msecs: lastTime, seq: lastSequence, random })
}

/** A uuid with this time in it; `position` orders those of the same time. */
export function newUuidAt(time: Date, position = 0): string {
  return v7({ msecs: time.getTime(), seq: position, random: randomBytes() })
}

// One call for random bytes costs as much for 256 uuids as for one.
const pool = new Uint8Array(4096)
let offset = pool.length

function randomBytes(): Uint8Array {
  if (offset === pool.length) {
    randomFillSync(pool)
    offset = 0
  }
  return pool.subarray(offset, (offset += 16))
}

/** The time in a uuid. */
export function readUuidTime(uuid: string): Date {
  return new Date(parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16))
}

const largestTime = 0xffff_ffff_ffff

/** The smallest uuid with this time in it. */
export function firstUuidAt(time: Date): string {
  const hex = Math.min(largestTime, Math.max(0, time.getTime())).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

export function newId(prefix: Prefix): string {
  return publicId(prefix, newUuid())
}

/** uuid text → `prod_01h455vb4pex5vsknk084sn02q` */
export function publicId(prefix: Prefix, uuid: string): string {
  const hex = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)
  // 128 bits in 26 digits: the first carries 3, the rest 5. 20 bits (5 hex digits) are 4 digits at a time.
  let text = alphabet[parseInt(hex.slice(0, 2), 16) >> 5]! + alphabet[parseInt(hex.slice(0, 2), 16) & 31]!
  for (let at = 2; at < 32; at += 5) {
    const bits = parseInt(hex.slice(at, at + 5), 16)
    text += alphabet[bits >> 15]! + alphabet[(bits >> 10) & 31]! + alphabet[(bits >> 5) & 31]! + alphabet[bits & 31]!
  }
  return `${prefix}_${text}`
}

/** The uuid in a public id, or null if it has another prefix or form. */
export function toUuid(prefix: Prefix, id: string): string | null {
  if (id.length !== prefix.length + 27 || !id.startsWith(`${prefix}_`)) return null
  const digits: number[] = []
  for (const letter of id.slice(prefix.length + 1)) {
    const digit = digitByLetter.get(letter)
    if (digit === undefined) return null
    digits.push(digit)
  }
  if (digits[0]! > 7) return null
  let hex = ((digits[0]! << 5) | digits[1]!).toString(16).padStart(2, '0')
  for (let at = 2; at < 26; at += 4) {
    const bits = (digits[at]! << 15) | (digits[at + 1]! << 10) | (digits[at + 2]! << 5) | digits[at + 3]!
    hex += bits.toString(16).padStart(5, '0')
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuidForm.test(text)
}

/** `XX-XXXXXXXX`: two capitals, a dash and 8 characters of Crockford base32. */
export const storeIdForm = /^[A-Z]{2}-[0-9A-HJKMNP-TV-Z]{8}$/

export function newStoreId(): string {
  const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const pick = (letters: string, count: number) =>
    Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('')
  return `${pick(capitals, 2)}-${pick(alphabet.toUpperCase(), 8)}`
}
