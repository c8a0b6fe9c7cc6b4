// What one address may do in a shop: how many checkouts it begins, how many people it names, how many codes it tries,
// how often it asks where an order is or writes to the merchant.
import { ApiError, invalid, rateLimited } from '../../../kit/values/errors.ts'
import type { EndGuard, GuardedRequest } from '../../../kit/declare/route.ts'
import { fault } from '../../../kit/values/faults.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { addressBlock } from '../../../platform/ratelimit/addressblock.ts'
import { waitSeconds, type RateLimiter } from '../../../platform/ratelimit/ratelimit.ts'
import type { PaymentDeps } from '../../../money/payments/providercalls.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { countTry } from '../../../platform/ratelimit/tries.ts'
import { discountFaults } from '../../../commerce/discounts/errors.ts'

type GuardWindow = { limit: number; windowSeconds: number }

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
} satisfies Record<string, GuardWindow>

export type Guard = {
  /** 429 for who begins too many. */
  begin(): Promise<void>
  /** 429 for who names too many people. The same person again counts once. */
  name(contact: string): Promise<void>
  /**
   * Counts a code, whatever it gives; 422 on discount_code for who, or whose checkout, has tried too many that gave
   * nothing. Resolves to what is told how it ended: a code that was not refused is taken back.
   */
  tryCode(token: string | null): Promise<EndGuard>
  /** 429 for who asks too often where orders are, or in whose store everybody does. */
  askForOrder(storeId: string): Promise<void>
  /** 429 for who writes to merchants too often, or to whose merchant everybody does. */
  write(storeId: string): Promise<void>
}

export function guardOf(limiter: RateLimiter, now: () => Date, ip: string): Guard {
  const address = addressBlock(ip)
  const hit = (kind: keyof typeof windows, name: string) =>
    limiter.hit(`${kind}:${name}`, windows[kind].limit, { windowSeconds: windows[kind].windowSeconds })
  const requireRoom = async (kind: keyof typeof windows, name = address) => {
    const hits = await hit(kind, name)
    if (!hits.allowed) throw rateLimited(waitSeconds(hits, now(), windows[kind].windowSeconds))
  }
  return {
    begin: () => requireRoom('begun'),
    async name(contact) {
      const person = hashSecret(contact.toLowerCase()).toString('base64url')
      const { windowSeconds } = windows.contacts
      const hits = await limiter.hit(`contact:${address} ${person}`, 1, { windowSeconds })
      if (hits.allowed) await requireRoom('contacts')
    },
    async tryCode(token) {
      const { refused: isRefused, takeBack } = await countTry(limiter, [
        { name: `wrongcodes:${address}`, ...windows.wrongcodes },
        ...(token
          ? [{ name: `wrongcodesof:${hashSecret(token).toString('base64url')}`, ...windows.wrongcodesof }]
          : []),
      ])
      if (isRefused) throw invalid(fault('discount_code', discountFaults.code_too_often))
      return async (error) => {
        if (!isAboutCode(error)) await takeBack()
      }
    },
    async askForOrder(storeId) {
      await requireRoom('orderasks')
      await requireRoom('orderasksof', storeId)
    },
    async write(storeId) {
      await requireRoom('messages')
      await requireRoom('messagesof', storeId)
    },
  }
}

/** What the routes of shoppers need for their guards. */
export type GuardDeps = PaymentDeps & { limiter: RateLimiter }

/** For routes that begin, change or complete a checkout. */
export async function guardCheckout(
  { ip, params, body }: GuardedRequest<Store>,
  { limiter, payments }: GuardDeps,
): Promise<EndGuard | void> {
  const guard = guardOf(limiter, payments.now, ip)
  const { customer, discount_code } = (body ?? {}) as { customer?: ContactInput; discount_code?: unknown }
  const contact = customer?.email ?? customer?.phone
  const { token = null } = params
  if (token === null) await guard.begin()
  if (typeof contact === 'string') await guard.name(contact)
  if (typeof discount_code === 'string') return guard.tryCode(token)
}

type ContactInput = { email?: unknown; phone?: unknown } | null

/** For routes that send a message to the merchant. */
export function guardMessages({ ip, store }: GuardedRequest<Store>, { limiter, payments }: GuardDeps): Promise<void> {
  return guardOf(limiter, payments.now, ip).write(store.id)
}

function isAboutCode(error: unknown): boolean {
  return error instanceof ApiError && error.faults.some(({ field }) => field === 'discount_code')
}
