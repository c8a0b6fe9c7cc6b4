// A payment provider inside the test's own process: it takes the place of the sandbox's functions, so that a test says
// what was paid, and what goes wrong at which step.
import { mock } from 'node:test'
import { newUuid } from '../src/kit/values/ids.ts'
import type { PaymentRequest, ProviderState } from '../src/commerce/payments/provider.ts'
import { sandbox } from '../src/commerce/payments/providers/sandbox.ts'
import { ana, home, productOf, shopperOf, type Shopper } from './checkouts.ts'
import type { TestStore, World } from './world.ts'

export type Payment = ProviderState & { id: string; reference: string; returnUrl: string; keys: string[] }

type Step = 'createPayment' | 'fetchState' | 'capture' | 'refund' | 'cancel'

export type FakeProvider = {
  payments: Payment[]
  /** The last that was begun. */
  last(): Payment
  /** Pays it, as the shopper does. */
  pay(payment: Payment, more?: Partial<ProviderState>): void
  /** What happens instead of, or before, each call of a step, until it is taken away. */
  on: Partial<Record<Step, (payment: Payment | undefined) => unknown>>
  /** How often each was called. */
  calls: Record<Step, number>
}

/** The files of a process share one: it counts what all of them do. */
export function fakeProvider(): FakeProvider {
  return (installed ??= installFake())
}

let installed: FakeProvider | undefined

function installFake(): FakeProvider {
  const payments: Payment[] = []
  const calls = { createPayment: 0, fetchState: 0, capture: 0, refund: 0, cancel: 0 }
  const on: FakeProvider['on'] = {}
  const find = (reference: string) => payments.find((one) => one.reference === reference)!
  const step = async (name: Step, payment?: Payment) => {
    calls[name]++
    return on[name]?.(payment)
  }
  mock.method(sandbox, 'createPayment', async (session: PaymentRequest, { returnUrl }: { returnUrl: string }) => {
    const instead = await step('createPayment')
    if (instead !== undefined) return instead
    let existing = payments.find(({ id }) => id === session.id)
    if (!existing) payments.push((existing = newPayment(session, returnUrl)))
    return { reference: existing.reference, next: { redirect: `https://pay.example/${existing.reference}` } }
  })
  mock.method(
    sandbox,
    'fetchState',
    async (reference: string) => (await step('fetchState', find(reference))) ?? { ...find(reference) },
  )
  mock.method(sandbox, 'refund', async (reference: string, amount: number, key: string) => {
    const payment = find(reference)
    const instead = await step('refund', payment)
    if (instead !== undefined) return instead
    if (!payment.keys.includes(key)) {
      payment.keys.push(key)
      payment.refunded += amount
    }
    return { reference: key, status: 'done' }
  })
  mock.method(sandbox, 'capture', async (reference: string, amount: number, key: string) => {
    const payment = find(reference)
    const instead = await step('capture', payment)
    if (instead !== undefined) return instead
    if (!payment.keys.includes(key)) {
      if (payment.captured + amount > payment.authorized) return { refused: 'it is more than is held' }
      payment.keys.push(key)
      Object.assign(payment, { captured: payment.captured + amount, status: 'captured' })
    }
    return { reference: key, status: 'done' }
  })
  mock.method(sandbox, 'cancel', async (reference: string, key: string) => {
    const payment = find(reference)
    const instead = await step('cancel', payment)
    if (instead !== undefined) return instead
    if (payment.captured > 0) return { refused: 'it is captured' }
    payment.keys.push(key)
    payment.status = 'cancelled'
    return { reference: key, status: 'done' }
  })
  mock.method(sandbox, 'parseWebhook', async (raw: Buffer, headers: Record<string, string>) => {
    if (headers['x-signature'] !== 'right') return null
    return JSON.parse(raw.toString())
  })
  mock.method(sandbox, 'origins', () => ['https://pay.example'])
  return {
    payments,
    calls,
    on,
    last: () => payments.at(-1)!,
    pay: (payment, more = {}) => {
      Object.assign(
        payment,
        { status: 'captured', authorized: payment.authorized, captured: amounts.get(payment) },
        more,
      )
    },
  }
}

const amounts = new WeakMap<Payment, number>()

function newPayment({ id, amount, currency }: PaymentRequest, returnUrl: string): Payment {
  const none = { status: 'requires_action', authorized: 0, captured: 0, refunded: 0 } as const
  const payment = { id, reference: `sess_${newUuid()}`, returnUrl, keys: [], ...none, currency }
  amounts.set(payment, amount)
  return payment
}

export const sandboxSettings = { api_key: 'sk_sandbox_0123456789', webhook_secret: 'whsec_0123456789' }

/** A shop that is paid by the provider, a thing of 20 in it, and a shopper on the way to pay for one. */
export async function payingShop(world: World, { stock = 5, ...options }: { stock?: number } & object = {}) {
  const shop: TestStore = await world.newStore(options)
  const body = { code: 'card', provider: 'sandbox', settings: sandboxSettings }
  const { status, data: method } = await shop.api.post('/v1/store/payment-methods', body)
  if (status !== 201) throw new Error(`the method was refused: ${status}`)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
  const thing = await productOf(shop, { stock })
  const shopper = shopperOf(world, shop)
  await shop.events()
  return { ...shop, shopper, thing, method, begin: () => beginCheckout(shopper, thing) }
}

let people = 0

async function beginCheckout(shopper: Shopper, { id }: { id: string }, quantity = 1) {
  const customer = { ...ana, email: `ana${++people}@example.com` }
  const items = [{ product_id: id, quantity }]
  return (await shopper.begin({ items, customer, shipping_address: home, payment_method: 'card' })).data
}
