// Passwords are kept as argon2id hashes in the PHC string format: $argon2id$v=19$m=19456,t=2,p=1$salt$hash
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { unavailable } from '../kit/values/errors.ts'

const derive = promisify(argon2)

// OWASP's cost for argon2id: 19 MiB, two passes, one lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const hashBytes = 32

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await inTurn(() =>
    derive('argon2id', { ...cost, message: bytesOf(password), nonce: salt, tagLength: hashBytes }),
  )
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(hash)}`
}

/** Takes as long for an account that does not exist (null) as for one that does. */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const { salt, hash, ...params } = parse(phc ?? nobodys)
  const derived = await inTurn(() =>
    derive('argon2id', { ...params, message: bytesOf(password), nonce: salt, tagLength: hash.length }),
  )
  return timingSafeEqual(derived, hash) && phc !== null
}

// Of random bytes that nobody knows.
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

/** What looks the same is the same password, however a keyboard composes it. */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'))
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

// Each hash takes 19 MiB and a core for 40 ms: logins queue for half a second at most, a flood of them is turned away.
const atOnce = 2
const maximumWaiting = 20
let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(hash: () => Promise<T>): Promise<T> {
  if (waiting.length >= maximumWaiting) throw unavailable()
  if (running < atOnce) running++
  else await new Promise<void>((next) => waiting.push(next))
  try {
    return await hash()
  } finally {
    // The turn passes on; only when nobody waits does it end.
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
