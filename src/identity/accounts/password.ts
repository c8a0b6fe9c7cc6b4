// Passwords are kept as argon2id hashes in the PHC string format: $argon2id$v=19$m=19456,t=2,p=1$salt$hash
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import PQueue from 'p-queue'
import { unavailable } from '../../kit/values/errors.ts'

const derive = promisify(argon2)

// OWASP's cost for argon2id: 19 MiB, two passes, one lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const hashBytes = 32

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await inTurn(invitedTurn, () =>
    derive('argon2id', { ...cost, message: normalizePassword(password), nonce: salt, tagLength: hashBytes }),
  )
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(hash)}`
}

/** Takes the same time for an account that does not exist (null). */
export async function verifyPassword(password: string, phc: string | null, turn: Turn = invitedTurn): Promise<boolean> {
  const { salt, hash, ...params } = parse(phc ?? nobodys)
  const key = await inTurn(turn, () =>
    derive('argon2id', { ...params, message: normalizePassword(password), nonce: salt, tagLength: hash.length }),
  )
  return timingSafeEqual(key, hash) && phc !== null
}

// A hash of random bytes that nobody knows.
const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
const nobodys = `$argon2id$v=19$${parameters}$${base64(randomBytes(16))}$${base64(randomBytes(hashBytes))}`

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(phc: string) {
  const [, memory, passes, parallelism, salt, hash] = form.exec(phc) ?? []
  if (!salt || !hash) throw new Error('a password hash is not in the PHC form of argon2id')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

/** Normalizes: the same letters are the same password, however a keyboard composes them. */
function normalizePassword(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'))
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '')
}

/** The client's address, and whether the address or the browser has signed in to the account before. */
export type Turn = { by: string; isKnown: boolean }

const invitedTurn: Turn = { by: '', isKnown: true }

// Each hash takes 19 MiB and a core for 40 ms.
const hashes = new PQueue({ concurrency: 2 })
const waiting = new Map<string, number>()
// prettier-ignore
const most = {
  strangers:    400,
  ofOneAddress: 10,
  known:        100,
}
const knownFirst = 1000

/**
 * In a flood of strangers, known callers go first, and each address's first try goes before any address's second. Up
 * to this many wait, and others are rejected.
 */
async function inTurn<T>({ by, isKnown }: Turn, hash: () => Promise<T>): Promise<T> {
  const lane = isKnown ? 'known' : 'strangers'
  const [inLane, ofAddress] = [waiting.get(lane) ?? 0, waiting.get(`ip ${by}`) ?? 0]
  const isTooMany = inLane >= most[lane] || (!isKnown && ofAddress >= most.ofOneAddress)
  if (isTooMany) throw unavailable()
  const places = [lane, ...(isKnown ? [] : [`ip ${by}`])]
  for (const place of places) waiting.set(place, (waiting.get(place) ?? 0) + 1)
  try {
    return await hashes.add(hash, { priority: isKnown ? knownFirst : -ofAddress })
  } finally {
    for (const place of places) {
      const remaining = waiting.get(place)! - 1
      if (remaining > 0) waiting.set(place, remaining)
      else waiting.delete(place)
    }
  }
}
