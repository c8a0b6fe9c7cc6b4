// The few endpoints of Stripe that the adapter calls, as Stripe documents them: form-encoded bodies, idempotency keys
// that answer the first answer again (500 included), sessions, payment intents, charges, refunds, events.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Stripe } from 'stripe'
import { randomBase62 } from '../src/kit/values/secrets.ts'

export const secretKey = 'sk_test_of_the_fake'
export const webhookSecret = 'whsec_of_the_fake'

type Intent = {
  id: string
  status: string
  amount: number
  amount_received: number
  amount_capturable: number
  currency: string
  capture: string
}
type Session = {
  id: string
  status: string
  url: string
  currency: string
  amount_total: number
  intent: string | null
}
type Refund = {
  id: string
  payment_intent: string
  amount: number
  status: string
  metadata: Record<string, string>
  failure_reason?: string
}
type Dispute = {
  id: string
  payment_intent: string
  amount: number
  status: string
  reason: string
  evidence_details: { due_by: number | null }
}
type Params = Record<string, any>
type Answer = { status: number; body: unknown }

export type StripeFake = Awaited<ReturnType<typeof openStripeFake>>

export async function openStripeFake() {
  const sessions = new Map<string, Session & { params: Params }>()
  const intents = new Map<string, Intent>()
  const refunds: Refund[] = []
  const disputes: Dispute[] = []
  const answers = new Map<string, Answer & { asked: string }>()
  /** What goes wrong with the next calls. `refundStatus`: what a refund is when it is made. */
  const faults = {
    after: null as null | '500' | 'hang' | 'rubbish',
    refundStatus: 'succeeded',
    refusesCustomers: false,
  }

  const pay = (
    id: string,
    as: 'capture' | 'processing' | 'requires_action' | 'requires_payment_method' = 'capture',
  ) => {
    const session = sessions.get(id)!
    const intent: Intent = intents.get(session.intent ?? '') ?? {
      id: `pi_${randomBase62(16)}`,
      status: as,
      amount: session.amount_total,
      amount_received: 0,
      amount_capturable: 0,
      currency: session.currency,
      capture: session.params.payment_intent_data.capture_method,
    }
    intents.set(intent.id, intent)
    session.intent = intent.id
    if (as !== 'capture') return void (intent.status = as)
    session.status = 'complete'
    const isHeld = intent.capture === 'manual'
    intent.status = isHeld ? 'requires_capture' : 'succeeded'
    intent[isHeld ? 'amount_capturable' : 'amount_received'] = intent.amount
  }

  /** The bank sends a refund back, days after it was made. */
  const failRefund = (refund: Refund, failure_reason = 'expired_or_canceled_card') =>
    Object.assign(refund, { status: 'failed', failure_reason })

  /** The shopper's bank wants a payment back. */
  const dispute = (
    id: string,
    {
      amount,
      due_by = null,
      reason = 'product_not_received',
    }: Pick<Dispute, 'amount'> & Partial<Dispute['evidence_details'] & Dispute>,
  ) => {
    const opened: Dispute = {
      id: `dp_${randomBase62(16)}`,
      payment_intent: sessions.get(id)!.intent!,
      amount,
      status: 'needs_response',
      reason,
      evidence_details: { due_by },
    }
    disputes.push(opened)
    return opened
  }

  const shownIntent = (id: string, { expand = [] }: Params) => {
    const { capture: _, ...intent } = intents.get(id)!
    const made = refunds.filter(({ payment_intent, status }) => payment_intent === id && status !== 'failed')
    const charge = {
      id: id.replace('pi_', 'ch_'),
      object: 'charge',
      amount: intent.amount,
      amount_refunded: made.reduce((sum, { amount }) => sum + amount, 0),
      disputed: disputes.some(({ payment_intent }) => payment_intent === id),
    }
    const isCharged = ['succeeded', 'requires_capture', 'canceled', 'processing'].includes(intent.status)
    const shown = Object.values(expand).includes('payment_intent.latest_charge') ? charge : charge.id
    return { ...intent, object: 'payment_intent', latest_charge: isCharged ? shown : null }
  }
  const shownSession = (id: string, query: Params) => {
    const { intent, params: _, ...session } = sessions.get(id)!
    const isExpanded = Object.values(query.expand ?? {}).length > 0
    const payment_intent = intent && (isExpanded ? shownIntent(intent, query) : intent)
    return { ...session, object: 'checkout.session', payment_intent }
  }
  const list = (data: unknown[]) => ({ object: 'list', data, has_more: false, url: '/' })

  const customers: Params[] = []
  const routes: [string, RegExp, (id: string, params: Params) => unknown][] = [
    ['POST', /^\/v1\/checkout\/sessions$/, (_, params) => createSession(params)],
    [
      'GET',
      /^\/v1\/checkout\/sessions$/,
      (_, { payment_intent }) => {
        const found = [...sessions.values()].filter(({ intent }) => intent === payment_intent)
        return list(found.map(({ id }) => shownSession(id, {})))
      },
    ],
    [
      'GET',
      /^\/v1\/checkout\/sessions\/(\w+)$/,
      (id, query) => {
        if (!sessions.has(id)) throw refusal(404, `No such checkout.session: '${id}'`)
        return shownSession(id, query)
      },
    ],
    [
      'POST',
      /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
      (id) => {
        const session = sessions.get(id)!
        if (session.status !== 'open')
          throw refusal(400, 'Only Checkout Sessions with a status in ["open"] can be expired')
        session.status = 'expired'
        return shownSession(id, {})
      },
    ],
    [
      'POST',
      /^\/v1\/payment_intents\/(\w+)\/capture$/,
      (id, { amount_to_capture }) => {
        const intent = intents.get(id)!
        const amount = Number(amount_to_capture)
        if (intent.status !== 'requires_capture') throw refusal(400, 'This PaymentIntent could not be captured')
        if (amount > intent.amount_capturable) throw refusal(400, 'The amount is greater than the amount capturable')
        Object.assign(intent, { status: 'succeeded', amount_received: amount, amount_capturable: 0 })
        return shownIntent(id, {})
      },
    ],
    [
      'POST',
      /^\/v1\/payment_intents\/(\w+)\/cancel$/,
      (id) => {
        const intent = intents.get(id)!
        if (intent.status !== 'requires_capture') throw refusal(400, 'You cannot cancel this PaymentIntent')
        Object.assign(intent, { status: 'canceled', amount_capturable: 0 })
        return shownIntent(id, {})
      },
    ],
    [
      'POST',
      /^\/v1\/customers$/,
      (_, params) => {
        if (faults.refusesCustomers) throw refusal(403, 'The provided key does not have the required permissions')
        customers.push({ ...params, id: `cus_${randomBase62(14)}` })
        return customers.at(-1)
      },
    ],
    ['POST', /^\/v1\/refunds$/, (_, params) => createRefund(params)],
    [
      'GET',
      /^\/v1\/refunds$/,
      (_, query) => list(refunds.filter((one) => one.payment_intent === query.payment_intent)),
    ],
    [
      'GET',
      /^\/v1\/disputes$/,
      (_, query) => list(disputes.filter((one) => one.payment_intent === query.payment_intent)),
    ],
  ]

  const createSession = (params: Params) => {
    const { currency, unit_amount } = params.line_items[0].price_data
    if (Number(unit_amount) < 1) throw refusal(400, 'The amount must be greater than 0')
    if (currency === 'usd' && Number(unit_amount) < 50) {
      throw refusal(400, "The Checkout Session's total amount due must add up to at least $0.50 usd")
    }
    const id = `cs_test_${randomBase62(24)}`
    const session = {
      id,
      status: 'open',
      url: `${url}/c/pay/${id}`,
      currency,
      amount_total: Number(unit_amount),
      intent: null,
    }
    sessions.set(id, { ...session, params })
    return shownSession(id, {})
  }
  const createRefund = ({ payment_intent, amount, metadata = {} }: Params) => {
    const left = intents.get(payment_intent)!.amount_received - sumOf(payment_intent)
    if (Number(amount) > left) throw refusal(400, 'Refund amount is greater than unrefunded amount on charge')
    const refund = {
      id: `re_${randomBase62(16)}`,
      payment_intent,
      amount: Number(amount),
      status: faults.refundStatus,
      metadata,
    }
    refunds.push(refund)
    return { ...refund, object: 'refund' }
  }
  const sumOf = (intent: string) =>
    refunds
      .filter(({ payment_intent, status }) => payment_intent === intent && status !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0)

  const answerTo = (method: string, path: string, params: Params): Answer => {
    const [, form, run] = routes.find(([verb, pattern]) => verb === method && pattern.test(path)) ?? []
    if (!run) return { status: 404, body: errorBody('Unrecognized request URL') }
    try {
      return { status: 200, body: run(form!.exec(path)![1] ?? '', params) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: error.status, body: errorBody(error.message) }
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const [path = '', query = ''] = request.url!.split('?')
    const asked = request.method === 'GET' ? query : await bodyOf(request)
    const key = request.headers['idempotency-key'] as string | undefined
    const isKnown = request.headers.authorization === `Bearer ${secretKey}`
    const before = key === undefined ? undefined : answers.get(key)
    let answer: Answer
    if (!isKnown) answer = { status: 401, body: errorBody('Invalid API Key provided') }
    else if (before && before.asked !== path + asked) {
      answer = { status: 400, body: errorBody('Keys for idempotent requests', 'idempotency_error') }
    } else answer = before ?? answerTo(request.method!, path, readForm(asked))
    if (faults.after === '500' && request.method === 'POST' && !before && answer.status === 200) {
      answer = { status: 500, body: errorBody('An unknown error occurred', 'api_error') }
    }
    if (key !== undefined && isKnown) answers.set(key, { ...answer, asked: path + asked })
    if (faults.after === 'hang') return
    const text = JSON.stringify(answer.body)
    const replayed = before ? { 'idempotent-replayed': 'true' } : {}
    response.writeHead(answer.status, { 'content-type': 'application/json', ...replayed })
    response.end(faults.after === 'rubbish' ? text.slice(0, text.length / 2) : text)
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`

  return {
    url,
    faults,
    sessions,
    customers,
    intents,
    refunds,
    disputes,
    pay,
    failRefund,
    dispute,
    forgetKeys: () => answers.clear(),
    /** A webhook as Stripe sends it: its bytes, and the header that signs them. */
    event(type: string, object: object, { secret = webhookSecret, timestamp = Math.floor(Date.now() / 1000) } = {}) {
      const payload = JSON.stringify({ id: `evt_${randomBase62(16)}`, object: 'event', type, data: { object } })
      return signed(payload, { secret, timestamp })
    },
    /** Any bytes, signed now. */
    sign: (payload: string) => signed(payload, { secret: webhookSecret, timestamp: Math.floor(Date.now() / 1000) }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function signed(payload: string, { secret, timestamp }: { secret: string; timestamp: number }) {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
  return { raw: Buffer.from(payload), headers: { 'stripe-signature': signature } }
}

class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

function refusal(status: number, message: string): Refusal {
  return new Refusal(status, message)
}

function errorBody(message: string, type = 'invalid_request_error'): object {
  return { error: { type, message } }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

/** `a[b][0]=c` → `{ a: { b: { 0: 'c' } } }` */
function readForm(form: string): Params {
  const params: Params = {}
  for (const [name, value] of new URLSearchParams(form)) {
    const path = name.replaceAll(']', '').split('[')
    const last = path.pop()!
    path.reduce((inside, key) => (inside[key] ??= {}), params)[last] = value
  }
  return params
}
