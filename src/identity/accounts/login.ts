// Email and password → a user, however many try. Guesses are bounded and yet close nobody's way in: a browser
// or an address that has signed in before is counted apart from all others, and nothing is shut for longer than a
// slot of 30 seconds. All strangers together have at most 170 guesses an hour at an account, an address that has
// signed in to it 220, a browser that has 200.
import { createHash } from 'node:crypto'
import { recordFailure } from '../../tenancy/audit/operations.ts'
import { stranger } from '../../kit/values/actor.ts'
import type { Database } from '../../kit/database/database.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { isAccountDevice, readDevice, type Device } from './device.ts'
import { findAccount, isTypable, type AccountLookup } from './find.ts'
import { countGuess, uncountGuess, type GuessLimit, type TooManyGuesses } from './guesses.ts'
import { verifyPassword } from './password.ts'

export type LoginOutcome = { userId: string } | { refused: 'wrong' } | TooManyGuesses

export type SignInAttempt = {
  email: string
  password: string
  ip: string
  userAgent: string
  /** The value of the browser's cookie. */
  device?: string | undefined
}

type LoginDeps = { db: Database; limiter: RateLimiter; vault: Vault }

const triesOfAddress: GuessLimit = { count: 60, windowSeconds: 60 }

// Wrong passwords for one account.
// prettier-ignore
const wrong = {
  ofDevice:          { count: 20,  windowSeconds: 15 * 60 },
  ofFamiliarAddress: { count: 100, windowSeconds: 3600 },
  ofAddress:         { count: 10,  windowSeconds: 15 * 60 },
  ofAllStrangers:    { count: 50,  windowSeconds: 3600 },
} satisfies Record<string, GuessLimit>

/** Beyond a limit, one try in each of these. */
const slot: GuessLimit = { count: 1, windowSeconds: 30 }

/** An unknown email takes as long as a wrong password and gets the same answer. */
export async function logIn(deps: LoginDeps, attempt: SignInAttempt): Promise<LoginOutcome> {
  const { db, vault } = deps
  const block = addressBlock(attempt.ip)
  const device = readDevice(vault, attempt.device)
  const tooMany = device ? null : await countAddress(deps, block)
  if (tooMany) return tooMany

  const lookup = await findAccount(db, attempt.email, block)
  const isKnownDevice = isAccountDevice(device, lookup.account)
  // A cookie of another account opens no way past the address.
  const windows = listLoginGuessWindows(lookup, block, isKnownDevice ? device : null)
  const isStrange = device !== null && !isKnownDevice
  const refusal = (isStrange && (await countAddress(deps, block))) || (await countGuess(deps, windows, slot))
  if (refusal) {
    recordAttempt(deps, 'sign_in_slowed', lookup, attempt)
    return refusal
  }
  const hash = (isTypable(attempt.password) && lookup.account?.password_hash) || null
  const turn = { by: block, isKnown: isKnownDevice || lookup.is_familiar }
  const isRight = await verifyPassword(attempt.password.slice(0, 1000), hash, turn)
  if (!isRight || !lookup.account) {
    recordAttempt(deps, 'sign_in_failed', lookup, attempt)
    return { refused: 'wrong' }
  }
  await uncountGuess(deps, windows, slot)
  return { userId: lookup.account.id }
}

/** Windows that strangers could evict from memory protect no account; an unknown one needs no protection. */
function listLoginGuessWindows(
  { account, compared, is_familiar }: AccountLookup,
  block: string,
  device: Device | null,
): [string, GuessLimit][] {
  if (device) return [[`device:${device.id}`, wrong.ofDevice]]
  if (account && is_familiar) return [[`account:${account.id}:${block}`, wrong.ofFamiliarAddress]]
  const addressHash = createHash('sha256').update(compared).digest('base64')
  return [
    [`login:${block}:${addressHash}`, wrong.ofAddress],
    [account ? `account:${account.id}` : `login:${addressHash}`, wrong.ofAllStrangers],
  ]
}

async function countAddress({ db, limiter }: LoginDeps, block: string): Promise<TooManyGuesses | null> {
  const { count, windowSeconds } = triesOfAddress
  const hit = await limiter.hit(`login:ip:${block}`, count, { windowSeconds })
  if (hit.allowed) return null
  return { refused: 'too_many', waitSeconds: waitSeconds(hit, db.clock.now(), windowSeconds) }
}

/** Not awaited. The typed email is not recorded: it may be a password in the wrong field. */
function recordAttempt(
  { db, limiter }: LoginDeps,
  event: 'sign_in_failed' | 'sign_in_slowed',
  { account }: AccountLookup,
  { ip, userAgent }: SignInAttempt,
): void {
  const subject = account ? { subject: publicId('usr', account.id) } : {}
  void recordFailure(db, limiter, { event, actor: stranger({ ip, userAgent }), ...subject })
}
