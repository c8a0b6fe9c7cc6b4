// Carts of agents: checkouts with nothing but lines, and perhaps a buyer.
import type { Tx } from '../../kit/database/database.ts'
import { cancelCheckout } from '../../storefront/checkout/cart/cancel.ts'
import { findCheckout } from '../../storefront/checkout/cart/operations.ts'
import type { Checkout } from '../../storefront/checkout/cart/view.ts'
import { findOffer } from '../../storefront/checkout/offers/offer.ts'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { begin, change, getValidationFaults, refusalMessages } from './checkout/attempt.ts'
import type { CartBody } from './checkout/inputs.ts'
import { runGuarded } from './checkout/limits.ts'
import { once } from './checkout/once.ts'
import { throwRefusal } from './checkout/operations.ts'
import { readBody, type RawInput, type ReadBody } from './checkout/read.ts'
import { cartView } from './checkout/view.ts'
import type { UcpMessage } from './messages.ts'
import type { VisitContext, Visit } from './visit.ts'

export async function createCart(visit: Visit, body: CartBody): Promise<string> {
  const read = await readCartBody(visit, body)
  return runGuarded(visit, read.input, null, async (report) => {
    const effect = await begin(visit, read)
    return once(
      visit,
      { subject: 'create_cart', content: body },
      async (tx) => {
        const { checkout, messages } = await effect(tx)
        report(messages)
        return { json: await view({ ...visit, db: tx }, checkout, messages) }
      },
      (_tx, error) => Promise.reject(error),
    )
  })
}

export async function getCart(visit: Visit, id: string): Promise<string> {
  return view(visit, await openCart(visit, id).catch(throwRefusal))
}

export async function updateCart(visit: Visit, id: string, body: CartBody): Promise<string> {
  const read = await readCartBody(visit, body)
  return runGuarded(visit, read.input, id, async (report) => {
    const effect = await change(visit, id, read)
    return once(
      visit,
      { subject: `update_cart ${id}`, content: body },
      async (tx) => {
        if (read.refusals.length > 0) return { json: await viewUnchangedCart(tx, visit, id, read.refusals) }
        const { checkout, messages } = await effect(tx)
        report(messages)
        return { json: await view({ ...visit, db: tx }, checkout, messages) }
      },
      (tx, error) => refusedUpdate(tx, visit, id, error, read),
    )
  })
}

async function refusedUpdate(tx: Tx, visit: Visit, id: string, error: unknown, read: ReadBody): Promise<string> {
  const faults = getValidationFaults(error)
  if (faults.length === 0) return throwRefusal(isOver(error) ? notFound('Cart') : error)
  return viewUnchangedCart(tx, visit, id, refusalMessages(visit, visit.store, faults, read))
}

/** True if it has become an order. */
function isOver(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409
}

async function viewUnchangedCart(tx: Tx, visit: Visit, id: string, messages: readonly UcpMessage[]): Promise<string> {
  const sight = { ...visit, db: tx }
  return view(sight, await openCart(sight, id).catch(throwRefusal), messages)
}

export async function cancelCart(visit: Visit, id: string): Promise<string> {
  return once(
    visit,
    { subject: `cancel_cart ${id}`, content: null },
    async (tx) => {
      const sight = { ...visit, db: tx }
      const json = await view(sight, await openCart(sight, id))
      await cancelCheckout(tx, visit.store, id)
      return { json }
    },
    async (_tx, error) => throwRefusal(isOver(error) ? notFound('Cart') : error),
  )
}

async function openCart({ db, store }: VisitContext, id: string): Promise<Checkout> {
  const checkout = await findCheckout(db, store, id)
  if (checkout.order) throw notFound('Cart')
  return checkout
}

/** The shopper's location adds to the checkout's address, and clears none of it. */
async function readCartBody(visit: Visit, body: CartBody): Promise<ReadBody> {
  const read = await readBody(
    visit,
    { ...body, fulfillment: null, payment: null },
    await findOffer(visit.db, visit.store),
  )
  const { shipping_address: place, shipping_method: _, ...input } = read.input
  const parts = Object.entries(place ?? {}).filter(([, part]) => part !== null)
  const hint: Partial<RawInput> = parts.length > 0 ? { shipping_address: Object.fromEntries(parts) } : {}
  return { ...read, input: { ...input, ...hint } }
}

async function view(sight: VisitContext, checkout: Checkout, messages: readonly UcpMessage[] = []): Promise<string> {
  return JSON.stringify(await cartView(sight, checkout, messages))
}
