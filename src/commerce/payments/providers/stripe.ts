// Stripe, through its Checkout pages: the shopper enters the card there, and Stripe handles 3-D Secure and wallets.
// https://docs.stripe.com/api/checkout/sessions
import type { Stripe } from 'stripe'
import { choice, text } from '../../../kit/declare/scalars.ts'
import { toMinor } from '../minorunits.ts'
import { toWebhookEvent, isObject, objectIn } from '../webhookbody.ts'
import type { BillingDetails, CallContext, ProviderResult, PaymentProvider, ProviderRefusal } from '../provider.ts'
import { openStripeClient, isOldServerError, catchRefusal, signatureFault } from './stripe/client.ts'
import { fetchStripeState, getPaymentIntent } from './stripe/state.ts'
import { minimums, getSmallestAmount, getStripeUnit } from './stripe/units.ts'

export const stripe: PaymentProvider = {
  kind: 'remote',
  settings: {
    secret_key: text({ min: 1, max: 255 }).required().secret().describe('sk_… or rk_…, from Developers > API keys'),
    webhook_secret: text({ min: 1, max: 255 }).secret().describe('whsec_…, from Developers > Webhooks'),
    capture: choice(['automatic', 'manual']).describe('manual: payments are authorized and captured later'),
  },
  minimums,
  // Stripe's page shows those that the shopper's device has.
  wallets: ['Apple Pay', 'Google Pay', 'Link'],
  origins: ({ apiUrl }) => ['https://checkout.stripe.com', ...(apiUrl === null ? [] : [new URL(apiUrl).origin])],

  async createPayment(session, context) {
    const amount = toMinor(session.amount, getStripeUnit(session.currency))
    if (amount === null) {
      return { refused: `Stripe only accepts ${session.currency} in steps of ${getSmallestAmount(session.currency)}` }
    }
    const api = await openStripeClient(context)
    return catchRefusal(async () => {
      const params = buildCheckoutParams(session, amount, context)
      const customer = session.billing && (await createCustomer(api, session.id, session.billing))
      const { id, url } = await createOnce(api, { ...params, ...(customer ? { customer } : {}) }, session.id)
      if (url === null) throw new Error('Stripe returned a session without a URL')
      return { reference: id, next: { redirect: url } }
    })
  },
  async fetchState(reference, context, existing = { refunded: 0 }) {
    const api = await openStripeClient(context)
    const session = await api.checkout.sessions.retrieve(reference, { expand: ['payment_intent.latest_charge'] })
    return fetchStripeState(api, session, existing)
  },
  async capture(reference, amount, key, context) {
    const api = await openStripeClient(context)
    const intent = getPaymentIntent(await retrieve(api, reference))
    const unit = getStripeUnit(context.currency)
    const minor = toMinor(amount, unit)
    if (!intent || minor === null) return { refused: 'This amount cannot be captured' }
    // Stripe captures once and releases the rest.
    if (intent.status === 'succeeded') {
      return intent.amount_received === minor ? done(intent.id) : { refused: 'Stripe has already captured the payment' }
    }
    return catchRefusal(async () => {
      await api.paymentIntents.capture(intent.id, { amount_to_capture: minor }, { idempotencyKey: key })
      return done(intent.id)
    })
  },
  async refund(reference, amount, key, context) {
    const api = await openStripeClient(context)
    const intent = getPaymentIntent(await retrieve(api, reference))
    const minor = toMinor(amount, getStripeUnit(context.currency))
    if (!intent || minor === null) return { refused: 'This amount cannot be refunded' }
    // For a reused key, Stripe repeats a 500 response even if the refund was created, and it forgets keys after a day.
    const existing = await findRefundByKey(api, intent.id, key)
    if (existing) return toRefundResult(existing)
    return catchRefusal(async () =>
      toRefundResult(
        await api.refunds.create(
          { payment_intent: intent.id, amount: minor, metadata: { stoa_key: key } },
          { idempotencyKey: key },
        ),
      ),
    )
  },
  async cancel(reference, key, context) {
    const api = await openStripeClient(context)
    const session = await retrieve(api, reference)
    const intent = getPaymentIntent(session)
    if (intent?.status === 'canceled' || session.status === 'expired') return done(reference)
    return catchRefusal(async () => {
      if (session.status === 'open') await api.checkout.sessions.expire(reference, {}, { idempotencyKey: key })
      else await api.paymentIntents.cancel(intent?.id ?? '', {}, { idempotencyKey: key })
      return done(reference)
    })
  },
  async parseWebhook(raw, headers, context) {
    const { webhook_secret } = context.settings
    // Anyone could sign with an empty secret.
    if (!webhook_secret) return null
    const api = await openStripeClient(context)
    const signature = String(headers['stripe-signature'])
    const isSigned = signatureFault(() =>
      api.webhooks.signature!.verifyHeader(
        raw,
        signature,
        webhook_secret,
        toleranceSeconds,
        undefined,
        context.now.getTime(),
      ),
    )
    if (!isSigned) return null
    const event = objectIn(raw)
    if (!event || !isObject(event.data) || !isObject(event.data.object)) return 'malformed'
    return toWebhookEvent(event.id, await findSessionReference(api, String(event.type), event.data.object))
  },
}

const toleranceSeconds = 300

function buildCheckoutParams(
  { id, currency, description }: Parameters<PaymentProvider['createPayment']>[0],
  amount: number,
  { returnUrl, cancelUrl, settings }: CallContext,
): Stripe.Checkout.SessionCreateParams {
  const price = { currency: currency.toLowerCase(), unit_amount: amount, product_data: { name: description } }
  return {
    mode: 'payment',
    client_reference_id: id,
    line_items: [{ quantity: 1, price_data: price }],
    payment_intent_data: {
      capture_method: settings.capture === 'manual' ? 'manual' : 'automatic',
      description,
      metadata: { stoa_session: id },
    },
    metadata: { stoa_session: id },
    success_url: returnUrl,
    cancel_url: cancelUrl,
  }
}

/** Stripe takes billing details before the payment only as a customer. A key that may not create one pays without. */
async function createCustomer(api: Stripe, id: string, billing: BillingDetails): Promise<string | null> {
  const { email, name, company, phone, province, country_code, ...lines } = billing
  const params = Object.entries({ name: company ?? name, email, phone }).filter(([, value]) => value)
  const place = Object.entries({
    line1: lines.address,
    line2: lines.address_2,
    city: lines.city,
    state: province,
    postal_code: lines.postal_code,
    country: country_code,
  }).filter(([, value]) => value)
  const customer = await catchRefusal(() =>
    api.customers.create(
      { ...Object.fromEntries(params), address: Object.fromEntries(place), metadata: { stoa_session: id } },
      { idempotencyKey: `${id} customer` },
    ),
  )
  return 'refused' in customer ? null : customer.id
}

const maxKeys = 10

/**
 * For a reused key, Stripe repeats a 500 response and marks it as replayed. Nobody has the URL of the failed session,
 * so it cannot be paid, and a new one can replace it.
 */
async function createOnce(
  api: Stripe,
  params: Stripe.Checkout.SessionCreateParams,
  id: string,
): Promise<Stripe.Checkout.Session> {
  for (let count = 1; ; count++) {
    const idempotencyKey = count === 1 ? id : `${id} ${count}`
    try {
      return await api.checkout.sessions.create(params, { idempotencyKey })
    } catch (error) {
      if (!isOldServerError(error) || count === maxKeys) throw error
    }
  }
}

function retrieve(api: Stripe, reference: string): Promise<Stripe.Checkout.Session> {
  return api.checkout.sessions.retrieve(reference, { expand: ['payment_intent'] })
}

async function findRefundByKey(api: Stripe, intent: string, key: string): Promise<Stripe.Refund | undefined> {
  for await (const refund of api.refunds.list({ payment_intent: intent, limit: 100 })) {
    if (refund.metadata?.stoa_key === key) return refund
  }
  return undefined
}

function toRefundResult({ id, status, failure_reason }: Stripe.Refund): ProviderResult | ProviderRefusal {
  if (status === 'succeeded') return done(id)
  if (status === 'failed' || status === 'canceled') return { refused: `The refund failed: ${failure_reason ?? status}` }
  return { reference: id, status: 'pending' }
}

function done(reference: string): ProviderResult {
  return { reference, status: 'done' }
}

/** Events that can change captured, refunded or disputed amounts, beside those of the session itself. */
const intentEvents =
  /^(payment_intent\.(succeeded|canceled|payment_failed|amount_capturable_updated)|charge\.|refund\.)/

/** A payment is stored with its session, but most events name its payment intent. */
async function findSessionReference(api: Stripe, type: string, object: Record<string, unknown>): Promise<unknown> {
  if (object.object === 'checkout.session') return object.id
  const intent = object.object === 'payment_intent' ? object.id : object.payment_intent
  if (typeof intent !== 'string' || !intentEvents.test(type)) return null
  const sessions = await api.checkout.sessions.list({ payment_intent: intent, limit: 1 })
  return sessions.data[0]?.id ?? null
}
