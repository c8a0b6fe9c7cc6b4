// What one address may do in a shop: how many checkouts it begins, how many people it names, how many codes it tries,
// how often it asks where an order is or writes to the merchant.
import { ApiError, invalid, rateLimited } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { hashSecret } from '../kit/values/secrets.ts'
import { addressBlock } from '../ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../ratelimit/ratelimit.ts'

type Window = { limit: number; windowSeconds: number }

// prettier-ignore
const windows = {
  begun:          { limit: 120, windowSeconds: 60 },
  contacts:       { limit: 100, windowSeconds: 3600 },
  wrongcodes:     { limit: 30,  windowSeconds: 600 },
  wrongcodesof:   { limit: 10,  windowSeconds: 600 },   // one checkout
  orderasks:      { limit: 20,  windowSeconds: 3600 },
  orderasksof:    { limit: 300, windowSeconds: 3600 },  // one store, whoever asks
  messages:       { limit: 10,  windowSeconds: 3600 },
  messagesof:     { limit: 100, windowSeconds: 3600 },  // one store, whoever writes
} satisfies Record<string, Window>

export type Guard = {
  /** 429 for who begins too many. */
  begin(): Promise<void>
  /** 429 for who names too many people. The same person again counts once. */
  name(contact: string): Promise<void>
  /** 422 on discount_code for who, or whose checkout, has tried too many that gave nothing. */
  tryCode(token: string | null): Promise<void>
  /** Counts a code that gave nothing, if that is what was refused. */
  refused(error: unknown, token: string | null): Promise<void>
  /** 429 for who asks too often where orders are, or in whose store everybody does. */
  askForOrder(storeId: string): Promise<void>
  /** 429 for who writes to merchants too often, or to whose merchant everybody does. */
  write(storeId: string): Promise<void>
}

/** Its own refusals, which count as no try. */
const own = new WeakSet<object>()

export function guardOf(limiter: RateLimiter, now: () => Date, ip: string): Guard {
  const address = addressBlock(ip)
  const hit = (kind: keyof typeof windows, name: string, cost = 1) =>
    limiter.hit(`${kind}:${name}`, windows[kind].limit, { windowSeconds: windows[kind].windowSeconds, cost })
  const demand = async (kind: keyof typeof windows, name = address) => {
    const counted = await hit(kind, name)
    if (!counted.allowed) throw rateLimited(waitSeconds(counted, now(), windows[kind].windowSeconds))
  }
  const tries = (token: string | null, cost: number) =>
    Promise.all([
      hit('wrongcodes', address, cost),
      ...(token ? [hit('wrongcodesof', hashSecret(token).toString('base64url'), cost)] : []),
    ])
  return {
    begin: () => demand('begun'),
    async name(contact) {
      const person = hashSecret(contact.toLowerCase()).toString('base64url')
      const { windowSeconds } = windows.contacts
      const known = await limiter.hit(`contact:${address} ${person}`, 1, { windowSeconds })
      if (known.allowed) await demand('contacts')
    },
    async tryCode(token) {
      const spent = (await tries(token, 0)).find(({ remaining }) => remaining === 0)
      if (!spent) return
      const refusal = invalid(fault('discount_code', 'code_too_often'))
      own.add(refusal)
      throw refusal
    },
    async refused(error, token) {
      if (!(error instanceof ApiError) || !Array.isArray(error.details) || own.has(error)) return
      if (error.details.some(({ field }) => field === 'discount_code')) await tries(token, 1)
    },
    async askForOrder(storeId) {
      await demand('orderasks')
      await demand('orderasksof', storeId)
    },
    async write(storeId) {
      await demand('messages')
      await demand('messagesof', storeId)
    },
  }
}
