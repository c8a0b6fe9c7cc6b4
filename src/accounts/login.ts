// E-mail and password → a user, however many try.
import { createHash } from 'node:crypto'
import type { Db } from '../kit/database.ts'
import { sql } from '../kit/sql.ts'
import { waitSeconds, type RateLimiter } from '../ratelimit/ratelimit.ts'
import { verifyPassword } from './password.ts'

export type LoginOutcome = { userId: string } | { refused: 'wrong' } | { refused: 'too_many'; waitSeconds: number }

const perAddress = { count: 60, windowSeconds: 60 }
const wrongPerAccount = { count: 10, windowSeconds: 15 * 60 }

/** An unknown e-mail takes as long as a wrong password and is answered alike. */
export async function logIn(
  db: Db, limiter: RateLimiter, { email, password, ip }: { email: string; password: string; ip: string },
): Promise<LoginOutcome> {
  const account = `login:${createHash('sha256').update(email.trim().toLowerCase()).digest('base64')}`
  for (const [name, limit] of [[`login:ip:${ip}`, perAddress], [account, wrongPerAccount]] as const) {
    const hit = await limiter.hit(name, limit.count, limit)
    if (!hit.allowed) return { refused: 'too_many', waitSeconds: waitSeconds(hit, db.clock.now(), limit.windowSeconds) }
  }

  const user = isTypable(email) && isTypable(password) ? await findByEmail(db, email) : undefined
  const isRight = await verifyPassword(password.slice(0, 1000), user?.password_hash ?? null)
  if (!isRight || !user) return { refused: 'wrong' }
  // Only wrong ones count.
  await limiter.hit(account, wrongPerAccount.count, { ...wrongPerAccount, cost: -1 })
  return { userId: user.id }
}

function isTypable(text: string): boolean {
  return text.length <= 1000 && text.isWellFormed() && !text.includes('\0')
}

function findByEmail(db: Db, email: string): Promise<{ id: string; password_hash: string | null } | undefined> {
  return db.one(sql`select id, password_hash from users where lower(email) = lower(${email.trim()})`)
}
