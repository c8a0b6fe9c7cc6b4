// Limits per address in a shop: new checkouts, contacts, discount codes, order lookups and messages to the merchant.
import { ApiError, invalid } from '../../../kit/values/errors.ts'
import type { EndGuard, GuardedRequest } from '../../../kit/declare/route.ts'
import { fault } from '../../../kit/values/faults.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { addressBlock, siteBlock } from '../../../platform/ratelimit/addressblock.ts'
import { requireQuota, type RateLimiter } from '../../../platform/ratelimit/ratelimit.ts'
import type { PaymentDeps } from '../../../commerce/payments/providercalls.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { countTry } from '../../../platform/ratelimit/tries.ts'
import { isAboutCode, maxCodes } from '../../../commerce/discounts/codes.ts'
import { discountFaults } from '../../../commerce/discounts/errors.ts'

/** `field` gets the fault if there were too many. */
type CodeTries = { field: 'discount_code' | 'discount_codes'; count: number }

type GuardWindow = { limit: number; windowSeconds: number }

// prettier-ignore
const windows = {
  begun:          { limit: 120, windowSeconds: 60 },
  contacts:       { limit: 100, windowSeconds: 3600 },
  wrongcodes:     { limit: 30,  windowSeconds: 600 },
  wrongcodesof:   { limit: 10,  windowSeconds: 600 },   // one checkout
  orderasks:      { limit: 20,  windowSeconds: 3600 },
  orderasksof:    { limit: 300, windowSeconds: 3600 },  // one store, all visitors
  signins:        { limit: 20,  windowSeconds: 3600 },
  signinsby:      { limit: 5,   windowSeconds: 3600 },  // one browser that has signed in before
  signinsof:      { limit: 300, windowSeconds: 3600 },  // one store, emails of no customer
  signinsto:      { limit: 5,   windowSeconds: 3600 },  // one email of a store
  signinstoday:   { limit: 15,  windowSeconds: 24 * 3600 },
  codes:          { limit: 30,  windowSeconds: 600 },
  messages:       { limit: 10,  windowSeconds: 3600 },
  messagesof:     { limit: 100, windowSeconds: 3600 },  // one store, all visitors
  forms:          { limit: 30,  windowSeconds: 3600 },  // those of one extension
  formsof:        { limit: 600, windowSeconds: 3600 },  // one store, all visitors
  returns:        { limit: 10,  windowSeconds: 3600 },
  returnsof:      { limit: 200, windowSeconds: 3600 },  // one store, all visitors
} satisfies Record<string, GuardWindow>

export type Guard = {
  /** Throws 429 after too many new checkouts. */
  begin(): Promise<void>
  /** Throws 429 after too many contacts. The same contact counts once. */
  name(contact: string): Promise<void>
  /**
   * Counts codes; throws 422 after too many wrong ones of an address or a checkout. Returns a function that ends the
   * try and does not count codes that were accepted.
   */
  tryCodes(token: string | null, tries: CodeTries): Promise<EndGuard>
  /** Throws 429 after too many order lookups by an address or in a store. */
  askForOrder(storeId: string): Promise<void>
  /**
   * Throws 429 after too many requested sign-ins by an address. Returns false if no email is to be sent, after too many
   * to the address or to strangers of the store: the answer is the same. A browser that has signed in with this email
   * before has a limit of its own, which others cannot use up.
   */
  signIn(request: SignInGuard): Promise<boolean>
  /** Throws 429 after too many codes or passkeys by an address. */
  proveShopper(): Promise<void>
  /** Throws 429 after too many messages by an address or to a store. */
  write(storeId: string): Promise<void>
  /** Throws 429 after too many forms of an extension by an address or in a store. */
  submit(extension: string, storeId: string): Promise<void>
  /** Throws 429 after too many requests for returns by an address or in a store. */
  requestReturn(storeId: string): Promise<void>
}

type SignInGuard = { storeId: string; email: string; knownBrowser: string | null; isCustomer: () => Promise<boolean> }

export function buildCheckoutGuard(limiter: RateLimiter, now: () => Date, ip: string): Guard {
  const address = addressBlock(ip)
  const hit = (kind: keyof typeof windows, name: string) =>
    limiter.hit(`${kind}:${name}`, windows[kind].limit, { windowSeconds: windows[kind].windowSeconds })
  const requireRoom = async (kind: keyof typeof windows, name = address) => {
    requireQuota(await hit(kind, name), now(), windows[kind].windowSeconds)
  }
  return {
    begin: () => requireRoom('begun'),
    async name(contact) {
      const person = hashSecret(contact.toLowerCase()).toString('base64url')
      const { windowSeconds } = windows.contacts
      const hits = await limiter.hit(`contact:${address} ${person}`, 1, { windowSeconds })
      if (hits.allowed) await requireRoom('contacts')
    },
    async tryCodes(token, { field, count }) {
      const windowsOfTry = [
        { name: `wrongcodes:${address}`, ...windows.wrongcodes },
        ...(token
          ? [{ name: `wrongcodesof:${hashSecret(token).toString('base64url')}`, ...windows.wrongcodesof }]
          : []),
      ]
      const { exceeded: isRefused, takeBack } = await countTry(limiter, windowsOfTry, count)
      if (isRefused) throw invalid(fault(field, discountFaults.code_too_often))
      return async (error) => {
        const accepted = count - countWrongCodes(error)
        if (accepted > 0) await takeBack(accepted)
      }
    },
    async askForOrder(storeId) {
      await requireRoom('orderasks')
      await requireRoom('orderasksof', storeId)
    },
    async signIn({ storeId, email, knownBrowser, isCustomer }) {
      if (knownBrowser) return (await hit('signinsby', knownBrowser)).allowed
      await requireRoom('signins', siteBlock(ip))
      const person = `${storeId} ${hashSecret(email.toLowerCase()).toString('base64url')}`
      const counts = [await hit('signinsto', person), await hit('signinstoday', person)]
      if (counts.some(({ allowed }) => !allowed)) return false
      return (await isCustomer()) || (await hit('signinsof', storeId)).allowed
    },
    proveShopper: () => requireRoom('codes', siteBlock(ip)),
    async write(storeId) {
      await requireRoom('messages')
      await requireRoom('messagesof', storeId)
    },
    async submit(extension, storeId) {
      await requireRoom('forms', `${extension} ${address}`)
      await requireRoom('formsof', `${extension} ${storeId}`)
    },
    async requestReturn(storeId) {
      await requireRoom('returns')
      await requireRoom('returnsof', storeId)
    },
  }
}

/** Dependencies of the guards. */
export type GuardDeps = PaymentDeps & { limiter: RateLimiter }

/** For routes that begin, change or complete a checkout. */
export async function guardCheckout(
  { ip, params, body }: GuardedRequest<Store>,
  { limiter, payments }: GuardDeps,
): Promise<EndGuard | void> {
  const guard = buildCheckoutGuard(limiter, payments.now, ip)
  const { customer, discount_code: code, discount_codes: codes } = (body ?? {}) as GuardedBody
  const contact = customer?.email ?? customer?.phone
  const { token = null } = params
  if (token === null) await guard.begin()
  if (typeof contact === 'string') await guard.name(contact)
  const hasList = Array.isArray(codes) && codes.length > 0
  if (typeof code !== 'string' && !hasList) return
  const field = hasList ? 'discount_codes' : 'discount_code'
  return guard.tryCodes(token, { field, count: hasList ? Math.min(codes.length, maxCodes) : 1 })
}

type ContactInput = { email?: unknown; phone?: unknown } | null
type GuardedBody = { customer?: ContactInput; discount_code?: unknown; discount_codes?: unknown }

/** For routes that send a message to the merchant. */
export function guardMessages({ ip, store }: GuardedRequest<Store>, { limiter, payments }: GuardDeps): Promise<void> {
  return buildCheckoutGuard(limiter, payments.now, ip).write(store.id)
}

function countWrongCodes(error: unknown): number {
  const faults = error instanceof ApiError ? error.faults : []
  return faults.filter(isAboutCode).length
}
