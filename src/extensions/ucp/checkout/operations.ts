// Checkouts of agents: created, changed, completed and canceled by the storefront API's operations.
import type { Tx } from '../../../kit/database/database.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { majorUnits } from '../amounts.ts'
import { shopperActor } from '../../../storefront/checkout/routes.ts'
import { completion } from '../../../storefront/checkout/checkout.ts'
import { askForChange } from '../../../storefront/checkout/cart/askquotes.ts'
import { cancelCheckout } from '../../../storefront/checkout/cart/cancel.ts'
import { findCheckout } from '../../../storefront/checkout/cart/operations.ts'
import type { Checkout } from '../../../storefront/checkout/cart/view.ts'
import { findOffer, type Offer } from '../../../storefront/checkout/offers/offer.ts'
import { completeCheckout } from '../../../storefront/checkout/settlement/complete.ts'
import { startPayment } from '../../../storefront/checkout/settlement/pay.ts'
import { errorMessage, toUcpMessage, warningMessage, type UcpMessage } from '../messages.ts'
import { followOrder } from '../followorder.ts'
import { Refusal } from '../problems.ts'
import type { Visit } from '../visit.ts'
import { begin, change, getValidationFaults, refusalMessages } from './attempt.ts'
import type { CheckoutBody, CompletionBody } from './inputs.ts'
import { readBillingPlace } from './delivery.ts'
import { runGuarded } from './limits.ts'
import { once } from './once.ts'
import { toUcpLines } from './lines.ts'
import { isManual } from './payment.ts'
import { readBody, type ReadBody } from './read.ts'
import { paidByBuyer, deriveCheckoutState, toWarning, isPriceChange } from './state.ts'
import { checkoutView, type ViewExtras } from './view.ts'

export async function createCheckout(visit: Visit, body: CheckoutBody): Promise<string> {
  const read = await readBody(visit, body, await findOffer(visit.db, visit.store))
  if (body.cart_id) return convertCart(visit, body.cart_id, body, read)
  return runGuarded(visit, read.input, null, async (report) => {
    const effect = await begin(visit, read)
    return once(
      visit,
      { subject: 'create_checkout', content: body },
      async (tx) => {
        const { checkout, messages } = await effect(tx)
        followOrder(tx, visit, checkout)
        report(messages)
        const all = [...messages, ...listPriceMismatches(checkout, body)]
        return { json: await view(tx, visit, checkout, { ...read, messages: all }) }
      },
      refuse,
    )
  })
}

/** Converts a cart: its lines and buyer stay, and it gets the other fields of a checkout. */
async function convertCart(visit: Visit, id: string, body: CheckoutBody, read: ReadBody): Promise<string> {
  const { shipping_address, shipping_method, payment_method, billing_address, custom_fields } = read.input
  const isDelivered = Boolean(body.fulfillment?.methods?.length)
  const additions = {
    ...(isDelivered ? { shipping_address, shipping_method } : {}),
    ...(payment_method ? { payment_method } : {}),
    ...(billing_address ? { billing_address } : {}),
    ...(custom_fields ? { custom_fields } : {}),
  }
  if (Object.keys(additions).length === 0) return visit.db.transaction((tx) => keepCart(tx, visit, id))
  const effect = await change(visit, id, { ...read, input: additions })
  return once(
    visit,
    { subject: `create_checkout ${id}`, content: body },
    async (tx) => {
      const messages = read.refusals.filter(({ path }) => path?.startsWith('$.fulfillment'))
      const { checkout } = await effect(tx)
      followOrder(tx, visit, checkout)
      return { json: await view(tx, visit, checkout, { ...read, messages }) }
    },
    (tx, error) => viewUnchangedCheckout(tx, visit, id, updateMessages(visit, error, read)),
  )
}

async function keepCart(tx: Tx, visit: Visit, id: string): Promise<string> {
  const checkout = await findCheckout(tx, visit.store, id).catch(throwRefusal)
  followOrder(tx, visit, checkout)
  return view(tx, visit, checkout)
}

export async function getCheckout(visit: Visit, id: string): Promise<string> {
  const checkout = await findCheckout(visit.db, visit.store, id).catch(throwRefusal)
  return JSON.stringify(await checkoutView(visit, checkout))
}

export async function updateCheckout(visit: Visit, id: string, body: CheckoutBody): Promise<string> {
  const read = await readBody(visit, body, await findOffer(visit.db, visit.store))
  return runGuarded(visit, read.input, id, async (report) => {
    const effect = await change(visit, id, read)
    return once(
      visit,
      { subject: `update_checkout ${id}`, content: body },
      async (tx) => {
        if (read.refusals.length > 0) throw new Refused()
        const { checkout, messages } = await effect(tx)
        report(messages)
        const acceptedCheckout = { ...checkout, changes: checkout.changes.filter((one) => !isPriceChange(one)) }
        const all = [...messages, ...newPrices(visit, checkout), ...listPriceMismatches(checkout, body)]
        return { json: await view(tx, visit, acceptedCheckout, { ...read, messages: all }) }
      },
      (tx, error) => viewUnchangedCheckout(tx, visit, id, updateMessages(visit, error, read)),
    )
  })
}

class Refused extends Error {}

function updateMessages(visit: Visit, error: unknown, read: ReadBody): UcpMessage[] {
  if (error instanceof Refused) return read.refusals
  const faults = getValidationFaults(error)
  if (faults.length > 0) return refusalMessages(visit, visit.store, faults, read)
  return [toClosedMessage(error)]
}

/** Reports new prices, which an update accepts. */
function newPrices({ agent }: Visit, { changes }: Checkout): UcpMessage[] {
  const hasFulfillment = agent.active.has('dev.ucp.shopping.fulfillment')
  return changes
    .filter(isPriceChange)
    .map((one) => toWarning(toUcpMessage(one, { lineAt: (at) => at, hasFulfillment })))
}

/** Prices that differ from those that the agent expected. */
function listPriceMismatches(checkout: Checkout, { line_items }: CheckoutBody): UcpMessage[] {
  return toUcpLines(checkout).flatMap(({ item }, at) => {
    const price = line_items.find((line) => line.item.id.toLowerCase() === item.id)?.item.price
    if (price === undefined || price === null || price === item.price) return []
    const content = `The price of ${item.id} is ${item.price}, not ${price}`
    return [warningMessage('price_changed', content, `$.line_items[${at}].item.price`)]
  })
}

export async function completeAgentCheckout(visit: Visit, id: string, body: CompletionBody): Promise<string> {
  const { store, deps } = visit
  const quotes = await askForChange(visit, id, {}, { isCompletion: true })
  return once(
    visit,
    { subject: `complete_checkout ${id}`, content: body },
    async (tx) => {
      const before = await findCheckout(tx, store, id)
      if (before.order) return { json: await view(tx, visit, before) }
      if (!store.agent_orders) return { json: await deferToBuyer(tx, visit, before) }
      const { method, refusal } = await choosePayableMethod(tx, visit, before, body)
      if (refusal) return { json: await view(tx, visit, before, { messages: [refusal] }) }
      followOrder(tx, visit, before)
      const billing_address = readBillingPlace(body)
      const total = body.totals?.find(({ type }) => type === 'total')?.amount
      const input = completion.read(
        {
          ...(method ? { payment_method: method } : {}),
          ...(billing_address ? { billing_address } : {}),
          ...(total === undefined ? {} : { total: majorUnits(total, store.currency) }),
        },
        store,
      )
      const completedCheckout = await completeCheckout(tx, store, id, input, { ...deps, quotes }, shopperActor)
      if (completedCheckout.order) return { json: await view(tx, visit, await findCheckout(tx, store, id)) }
      const waiting = await deferToBuyer(tx, visit, before)
      return {
        json: waiting,
        afterwards: async () => {
          const result = await startPayment(visit.db, store, completedCheckout, deps)
          return result.order ? getCheckout(visit, id) : waiting
        },
      }
    },
    (tx, error) => viewUnchangedCheckout(tx, visit, id, completionMessages(visit, error)),
  )
}

const deferToBuyer = (tx: Tx, visit: Visit, checkout: Checkout) =>
  view(tx, visit, checkout, { messages: [paidByBuyer()], status: 'requires_escalation' })

type Instrument = { handler_id?: string | null | undefined; type?: string | null | undefined }
type PayingMethod = { method: string | null; refusal?: UcpMessage }

/** The method that the agent chose, or the checkout's. */
async function choosePayableMethod(
  tx: Tx,
  visit: Visit,
  checkout: Checkout,
  { payment }: CompletionBody,
): Promise<PayingMethod> {
  const offer = await findOffer(tx, visit.store)
  const hasFulfillment = visit.agent.active.has('dev.ucp.shopping.fulfillment')
  const { methods } = deriveCheckoutState(checkout, offer, { hasFulfillment, mayOrder: visit.store.agent_orders })
  const codes = methods.map(({ code }) => code)
  const instruments = payment?.instruments ?? null
  const fail = (content: string) => ({
    method: null,
    refusal: errorMessage('payment_failed', content, { path: '$.payment.instruments' }),
  })
  if (checkout.totals.total === 0 && !instruments?.length) return { method: null }
  if (instruments) {
    const [instrument, ...others] = instruments
    if (!instrument || others.length > 0) return fail('A checkout is paid by exactly one instrument')
    if (!codes.includes(instrument.handler_id ?? '')) {
      if (isPaidOnPage(instrument, offer)) return { method: null, refusal: paidByBuyer() }
      return fail('The instrument names no handler of ucp.payment_handlers')
    }
    return { method: instrument.handler_id! }
  }
  if (checkout.payment_method && codes.includes(checkout.payment_method)) return { method: null }
  if (codes.length === 0) return { method: null, refusal: paidByBuyer() }
  return fail('Name an instrument of one of ucp.payment_handlers')
}

/** True for a card, or another method that needs a page of its provider. */
function isPaidOnPage({ handler_id, type }: Instrument, { payment_methods }: Offer): boolean {
  const codes = payment_methods.filter((method) => !isManual(method)).map(({ code }) => code)
  return codes.length > 0 && (type === 'card' || codes.some((code) => code === handler_id || code === type))
}

function completionMessages({ agent }: Visit, error: unknown): UcpMessage[] {
  const hasFulfillment = agent.active.has('dev.ucp.shopping.fulfillment')
  const faults = getValidationFaults(error)
  if (faults.length > 0) return faults.map((one) => toUcpMessage(one, { lineAt: (at) => at, hasFulfillment }))
  return [toClosedMessage(error)]
}

export async function cancelAgentCheckout(visit: Visit, id: string): Promise<string> {
  const { store } = visit
  return once(
    visit,
    { subject: `cancel_checkout ${id}`, content: null },
    async (tx) => {
      const json = await view(tx, visit, await findCheckout(tx, store, id), { status: 'canceled' })
      await cancelCheckout(tx, store, id)
      return { json }
    },
    (tx, error) => viewUnchangedCheckout(tx, visit, id, [toClosedMessage(error)]),
  )
}

/** The unchanged checkout, with the reasons for the rejection. */
async function viewUnchangedCheckout(tx: Tx, visit: Visit, id: string, messages: UcpMessage[]): Promise<string> {
  const checkout = await findCheckout(tx, visit.store, id).catch(throwRefusal)
  return view(tx, visit, { ...checkout, changes: omitReported(checkout, messages) }, { messages })
}

/** Omits changes that the messages already report. */
function omitReported({ changes }: Checkout, messages: readonly UcpMessage[]): Checkout['changes'] {
  return messages.some(({ code }) => code === 'price_changed') ? changes.filter((one) => !isPriceChange(one)) : changes
}

function toClosedMessage(error: unknown): UcpMessage {
  if (!(error instanceof ApiError) || error.status >= 500 || error.status === 422) throw error
  if (error.status === 404 || error.status === 410) return throwRefusal(error)
  return errorMessage('checkout_closed', error.message, { severity: 'recoverable' })
}

function refuse(_tx: Tx, error: unknown): Promise<string> {
  throw error
}

/** Turns an unknown, canceled or expired checkout into a Refusal. */
export function throwRefusal(error: unknown): never {
  if (error instanceof ApiError && (error.status === 404 || error.status === 410)) {
    throw new Refusal(errorMessage('not_found', error.message, { severity: 'unrecoverable' }))
  }
  throw error
}

async function view(tx: Tx, visit: Visit, checkout: Checkout, extras: ViewExtras = {}): Promise<string> {
  return JSON.stringify(await checkoutView({ ...visit, db: tx }, checkout, extras))
}
