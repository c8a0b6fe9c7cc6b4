// Asks apps what shipping rates cost, before the transaction that keeps the answers. An app that is late, lies or fails
// costs a shopper two seconds at most, and its rate falls back to what the merchant chose.
import type { Db, StoreDatabase } from '../../../kit/database/database.ts'
import { maxMoney, round, toNumber } from '../../../kit/values/money.ts'
import { newId, publicId } from '../../../kit/values/ids.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import type { Vault } from '../../../kit/values/secrets.ts'
import { findLoad } from '../../../commerce/orders/load.ts'
import { lookUpLines } from '../../../commerce/orders/lines.ts'
import type { ExchangeResult, FailureClass, GuardedFetch } from '../../../platform/outbound/fetch.ts'
import { signedHeaders } from '../../../platform/outbound/signature.ts'
import type { QuoteError } from '../../../tenancy/stores/shippingrate.ts'
import {
  buildQuoteSealContext,
  findQuotedRates,
  recordQuoteFailure,
  type QuotedRate,
} from '../../../tenancy/stores/ratequote.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckoutInput, NewCheckout } from '../checkout.ts'
import { findOffer } from '../offers/offer.ts'
import { planQuotes, type QuoteAnswer, type QuotePlan, type ShippingQuotes } from '../offers/quotes.ts'
import { applyInput, findRow, newRow, toCartInput } from './operations.ts'
import { listCartLines, type CartInput } from './quote.ts'

export type QuoteDeps = { vault: Vault; guardedFetch: Pick<GuardedFetch, 'post'> }

export type Asking = { db: StoreDatabase; store: Store; deps: QuoteDeps }

// For all rates together: a shopper waits for it.
const timeoutMs = 2_000
const maxResponseBytes = 16_384

/** For how long an answer and a failure are kept. */
type QuoteLifetime = { answerSeconds: number; failureSeconds: number }

// A failure is asked about again soon.
const whileShopping: QuoteLifetime = { answerSeconds: 15 * 60, failureSeconds: 60 }
// Completing an order keeps to what was shown.
const onCompletion: QuoteLifetime = { answerSeconds: 24 * 3600, failureSeconds: 24 * 3600 }

/** For a new checkout. Undefined if there is nothing to ask. */
export async function askForNew(asking: Asking, input: NewCheckout): Promise<ShippingQuotes | undefined> {
  const { db, store } = asking
  if (!store.has_quoted_rates) return undefined
  const now = db.clock.now()
  const row = applyInput(newRow(store, now), input, store, now)
  return askForQuotes(asking, toCartInput(row, input))
}

/** For a change of a checkout. Undefined if its answers still hold. */
export async function askForChange(
  asking: Asking,
  token: string,
  input: CheckoutInput,
  { isCompletion = false } = {},
): Promise<ShippingQuotes | undefined> {
  const { db, store } = asking
  if (!store.has_quoted_rates) return undefined
  try {
    const before = await findRow(db, store, token)
    if (before.order_id) return undefined
    const row = applyInput(before, input, store, db.clock.now())
    return await askForQuotes(asking, toCartInput(row, input), isCompletion ? onCompletion : whileShopping)
  } catch (error) {
    // The operation reports it.
    if (error instanceof ApiError) return undefined
    throw error
  }
}

export async function askForQuotes(
  { db, store, deps }: Asking,
  cart: CartInput,
  validity = whileShopping,
): Promise<ShippingQuotes | undefined> {
  if (!store.has_quoted_rates) return undefined
  const plan = await planForCart(db, store, cart)
  const now = db.clock.now()
  if (!plan || (cart.quotes?.digest === plan.digest && isFresh(cart.quotes, now, validity))) return undefined
  const results = await Promise.all(plan.rates.map((rate) => askApp(store, rate, plan, deps, now)))
  await recordFailures(db, store, plan, results)
  return { digest: plan.digest, asked_at: now.toISOString(), answers: results }
}

async function planForCart(db: Db, store: Store, cart: CartInput): Promise<QuotePlan | null> {
  const offering = findOffer(db, store)
  const { lines } = await listCartLines(cart, offering)
  const [lookup, quoted, offer] = await Promise.all([
    lookUpLines(db, store, lines),
    findQuotedRates(db, store),
    offering,
  ])
  const load = await findLoad(db, store, lookup.lines, offer.shipping_rates)
  return planQuotes(offer.shipping_rates, { place: cart, lines: lookup.lines, load, quoted }, store)
}

function isFresh({ asked_at, answers }: ShippingQuotes, now: Date, validity: QuoteLifetime): boolean {
  const hasFailed = answers.some(({ error }) => error !== null)
  const seconds = hasFailed ? validity.failureSeconds : validity.answerSeconds
  return now.getTime() - new Date(asked_at).getTime() < seconds * 1000
}

async function askApp(
  store: Store,
  { id, code, quote_url, quote_secret }: QuotedRate,
  { request }: QuotePlan,
  { vault, guardedFetch }: QuoteDeps,
  now: Date,
): Promise<QuoteAnswer> {
  const secret = quote_secret && vault.open(quote_secret, buildQuoteSealContext(store.id, id))
  if (!secret) return failed(code, 'no_secret')
  const body = JSON.stringify({ shipping_rate: { id: publicId('rate', id), code }, ...request })
  const parts = { id: newId('quote'), event: quoteEvent, body, timestamp: Math.floor(now.getTime() / 1000) }
  const headers = signedHeaders({ ...parts, sequence: null }, secret, null)
  const lane = `quote ${id}`
  const result = await guardedFetch.post(quote_url, { body, headers, lane, timeoutMs, maxResponseBytes })
  return readAnswer(code, result, request.currency)
}

/** X-Webhook-Event of a request. */
const quoteEvent = 'shipping_rate.quote'

const errorByClass: Record<FailureClass, QuoteError> = {
  TIMEOUT: 'timeout',
  DNS: 'unreachable',
  REFUSED: 'unreachable',
  RESET: 'unreachable',
  TLS: 'tls',
  BLOCKED_ADDRESS: 'blocked_address',
  BAD_RESPONSE: 'invalid',
}

function readAnswer(code: string, result: ExchangeResult, currency: string): QuoteAnswer {
  if (!result.ok) return failed(code, errorByClass[result.error])
  if (result.truncated) return failed(code, 'too_large')
  if (result.status !== 200) return failed(code, 'status', String(result.status))
  const answer = parseObject(result.body)
  if (!answer) return failed(code, 'invalid')
  const { offered = true, reason = null } = answer
  if (typeof offered !== 'boolean') return failed(code, 'invalid', 'offered')
  const wrong = offered ? findWrongField(answer, currency) : isText(reason, 300) ? null : 'reason'
  if (wrong) return failed(code, 'invalid', wrong)
  if (!offered) return { ...noAnswer(code), reason: reason as string | null }
  const { price, name = null, min_days = null, max_days = null } = answer as QuoteAnswer
  return { ...noAnswer(code), price: toNumber(round(price!, currency)), name, min_days, max_days }
}

function parseObject(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as object as any) : null
  } catch {
    return null
  }
}

/** The first field that is not as it must be. */
function findWrongField(answer: Record<string, unknown>, currency: string): string | null {
  const { price, name = null, min_days = null, max_days = null } = answer
  const isPrice = typeof price === 'number' && price >= 0 && price <= maxMoney
  if (!isPrice) return 'price'
  if (answer.currency !== undefined && answer.currency !== currency) return 'currency'
  if (!isText(name, 120) || name === '') return 'name'
  if (!isDays(min_days)) return 'min_days'
  return isDays(max_days) && Number(max_days ?? min_days) >= Number(min_days) ? null : 'max_days'
}

function isText(value: unknown, max: number): boolean {
  return value === null || (typeof value === 'string' && value.length <= max && !/\p{Cc}/u.test(value))
}

function isDays(value: unknown): boolean {
  return value === null || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 365)
}

function noAnswer(code: string): QuoteAnswer {
  return { code, price: null, name: null, min_days: null, max_days: null, reason: null, error: null, detail: null }
}

function failed(code: string, error: QuoteError, detail: string | null = null): QuoteAnswer {
  return { ...noAnswer(code), error, detail }
}

/** The merchant sees the last failure on the page of the rate. */
async function recordFailures(
  db: StoreDatabase,
  store: Store,
  { rates }: QuotePlan,
  results: readonly QuoteAnswer[],
): Promise<void> {
  const failures = results.flatMap(({ error, detail }, index) =>
    error ? [{ id: rates[index]!.id, error, detail }] : [],
  )
  if (failures.length === 0) return
  await db.transaction(async (tx) => {
    for (const failure of failures) recordQuoteFailure(tx, store.id, failure)
  })
}
