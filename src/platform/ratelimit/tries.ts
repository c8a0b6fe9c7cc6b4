// A try is counted before it is made, and taken back if it succeeds: parallel tries cannot exceed the limit.
import type { Hit, RateLimiter } from './ratelimit.ts'

export type TryWindow = { name: string; limit: number; windowSeconds: number }

/** The window that has no room for the try, if any; then no window counts it. */
export type TryResult = { exceeded: Hit | null; takeBack(count?: number): Promise<void> }

export async function countTry(limiter: RateLimiter, windows: readonly TryWindow[], tries = 1): Promise<TryResult> {
  const count = ({ name, limit, windowSeconds }: TryWindow, cost: number) =>
    limiter.hit(name, limit, { windowSeconds, cost })
  const hits = await Promise.all(windows.map((window) => count(window, tries)))
  const takeBack = async (taken = tries) => void (await Promise.all(windows.map((window) => count(window, -taken))))
  const refusal = hits.find(({ allowed }) => !allowed) ?? null
  if (refusal) await takeBack()
  return { exceeded: refusal, takeBack }
}
