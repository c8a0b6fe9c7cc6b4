// E-mail and password → a user, however many try.
import { createHash } from 'node:crypto'
import type { Db } from '../kit/database/database.ts'
import { addressBlock } from '../ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../ratelimit/ratelimit.ts'
import { findAccount, isTypable } from './find.ts'
import { verifyPassword } from './password.ts'

export type LoginOutcome = { userId: string } | { refused: 'wrong' } | { refused: 'too_many'; waitSeconds: number }

const perAddress = { count: 60, windowSeconds: 60 }
const wrongPerAccount = { count: 10, windowSeconds: 15 * 60 }

/** An unknown e-mail takes as long as a wrong password and is answered alike. */
export async function logIn(
  db: Db,
  limiter: RateLimiter,
  { email, password, ip }: { email: string; password: string; ip: string },
): Promise<LoginOutcome> {
  const refusal = async (name: string, limit: typeof perAddress): Promise<LoginOutcome | undefined> => {
    const hit = await limiter.hit(name, limit.count, limit)
    if (hit.allowed) return undefined
    return { refused: 'too_many', waitSeconds: waitSeconds(hit, db.clock.now(), limit.windowSeconds) }
  }
  const tooMany = await refusal(`login:ip:${addressBlock(ip)}`, perAddress)
  if (tooMany) return tooMany
  const { compared, account } = await findAccount(db, email)
  const window = `login:${createHash('sha256').update(compared).digest('base64')}`
  const closed = await refusal(window, wrongPerAccount)
  if (closed) return closed

  const isRight = await verifyPassword(password.slice(0, 1000), (isTypable(password) && account?.password_hash) || null)
  if (!isRight || !account) return { refused: 'wrong' }
  // Only wrong ones count.
  await limiter.hit(window, wrongPerAccount.count, { ...wrongPerAccount, cost: -1 })
  return { userId: account.id }
}
