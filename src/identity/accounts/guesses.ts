// Limits on wrong tries. Beyond a limit nothing is locked: one try is allowed in each slot.
import type { Database } from '../../kit/database/database.ts'
import { waitSeconds, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'

export type GuessLimit = { count: number; windowSeconds: number }

/** Names of counters with their limits. */
export type GuessWindows = readonly (readonly [name: string, limit: GuessLimit])[]

export type TooManyGuesses = { refused: 'too_many'; waitSeconds: number }

type GuessDeps = { db: Database; limiter: RateLimiter }

/** Each try is counted before it is checked, so that concurrent tries cannot exceed the limit. */
export async function countGuess(
  { db, limiter }: GuessDeps,
  windows: GuessWindows,
  slot: GuessLimit,
): Promise<TooManyGuesses | null> {
  for (const [name, limit] of windows) {
    const [hit, inSlot] = await Promise.all([
      limiter.hit(name, limit.count, limit),
      limiter.hit(`${name}:slot`, slot.count, slot),
    ])
    if (hit.allowed || inSlot.allowed) continue
    return { refused: 'too_many', waitSeconds: waitSeconds(inSlot, db.clock.now(), slot.windowSeconds) }
  }
  return null
}

/** Only wrong ones count. */
export async function uncountGuess(
  { limiter }: Pick<GuessDeps, 'limiter'>,
  windows: GuessWindows,
  slot: GuessLimit,
): Promise<void> {
  const undo = (name: string, limit: GuessLimit) => limiter.hit(name, limit.count, { ...limit, cost: -1 })
  await Promise.all(windows.flatMap(([name, limit]) => [undo(name, limit), undo(`${name}:slot`, slot)]))
}
