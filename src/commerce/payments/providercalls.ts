// Calls of payment providers, with a time limit and a check of the answer. No call is made inside a transaction, so a
// provider that hangs holds no lock and no connection.
import { publicId } from '../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../kit/values/money.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { statuses } from './payment.ts'
import {
  disputeStatuses,
  type BillingDetails,
  type CallContext,
  type CreatedPayment,
  type WebhookEvent,
  type MalformedWebhook,
  type ProviderResult,
} from './provider.ts'
import type { PaymentProvider, ProviderRefusal, ProviderState, PaymentState } from './provider.ts'
import { getProvider, type ProviderName } from './providers.ts'
import { openSettings } from './settings.ts'
import { netCaptured } from './events.ts'
import type { SessionWithSettings } from './session.ts'
import { toWebhookEvent } from './webhookbody.ts'

/** The time limit of a call, and URLs that replace the default ones of providers. */
type ProviderConfig = { apiUrls: Partial<Record<string, string | null>>; timeoutMs: number; now(): Date }

/** Dependencies of provider calls beside the database. */
export type PaymentDeps = { vault: Vault; payments: ProviderConfig }

/** The provider gave no answer, or a malformed one, so the outcome of the call is unknown. */
export class ProviderUnavailable extends Error {}

type ProviderAccount = Pick<
  SessionWithSettings,
  'method_id' | 'provider' | 'settings' | 'secrets' | 'currency' | 'return_url'
>

export function remoteProvider(name: ProviderName): PaymentProvider | null {
  const provider = getProvider(name)
  return provider.kind === 'remote' ? provider : null
}

/** Origins of the provider's payment pages. */
export function listProviderOrigins(name: ProviderName, { payments }: PaymentDeps): string[] {
  return remoteProvider(name)?.origins({ settings: {}, apiUrl: payments.apiUrls[name] ?? null }) ?? []
}

export async function createPayment(
  store: Store,
  session: SessionWithSettings,
  deps: PaymentDeps,
  billing?: BillingDetails,
): Promise<CreatedPayment | ProviderRefusal> {
  const request = {
    id: publicId('pmt', session.id),
    amount: toNumber(session.amount),
    currency: session.currency,
    description: store.name,
    billing,
  }
  const payment = await callProvider(store, session, deps, (provider, context) =>
    provider.createPayment(request, context),
  )
  if ('refused' in payment) return payment
  const redirect = payment.next?.redirect
  if (typeof payment.reference !== 'string' || !payment.reference)
    throw new ProviderUnavailable('The provider returned a payment without a reference')
  if (redirect !== undefined && !/^https?:\/\//.test(redirect))
    throw new ProviderUnavailable('The provider returned a payment without a valid redirect URL')
  return payment
}

export async function fetchState(store: Store, session: SessionWithSettings, deps: PaymentDeps): Promise<PaymentState> {
  const existing = { refunded: toNumber(session.refunded_amount.plus(session.refunding_amount)) }
  const state = await callProvider(store, session, deps, (provider, context) =>
    provider.fetchState(session.reference!, context, existing),
  )
  const disputes = state?.disputes ?? []
  const amounts = [state?.authorized, state?.captured, state?.refunded, ...disputes.map(({ amount }) => amount)]
  const isWhole =
    statuses.includes(state?.status) &&
    typeof state.currency === 'string' &&
    amounts.every((amount) => Number.isFinite(amount) && amount >= 0) &&
    state.refunded <= state.captured &&
    disputes.every(({ status, reference }) => disputeStatuses.includes(status) && typeof reference === 'string')
  if (!isWhole) throw new ProviderUnavailable('The provider returned an inconsistent payment state')
  return withDecimals(state)
}

function withDecimals({ authorized, captured, refunded, disputes = [], ...rest }: ProviderState): PaymentState {
  return {
    ...rest,
    authorized: new Decimal(authorized),
    captured: new Decimal(captured),
    refunded: new Decimal(refunded),
    disputes: disputes.map((dispute) => ({ ...dispute, amount: new Decimal(dispute.amount) })),
  }
}

/** Idempotent by key. */
export function refundOrCancel(
  store: Store,
  session: SessionWithSettings,
  state: PaymentState,
  key: string,
  deps: PaymentDeps,
): Promise<ProviderResult | ProviderRefusal> {
  const amount = netCaptured(state)
  return amount.greaterThan(0) ? refund(store, session, amount, key, deps) : cancel(store, session, key, deps)
}

type AmountCall = (
  store: Store,
  session: SessionWithSettings,
  amount: Decimal,
  key: string,
  deps: PaymentDeps,
) => Promise<ProviderResult | ProviderRefusal>

const callWithAmount =
  (action: 'refund' | 'capture'): AmountCall =>
  (store, session, amount, key, deps) =>
    callProvider(store, session, deps, (provider, context) =>
      provider[action](session.reference!, toNumber(amount), key, context),
    )

/** Idempotent by key. */
export const refund = callWithAmount('refund')

/** Idempotent by key. */
export const capture = callWithAmount('capture')

/** Idempotent by key. */
export function cancel(
  store: Store,
  session: SessionWithSettings,
  key: string,
  deps: PaymentDeps,
): Promise<ProviderResult | ProviderRefusal> {
  return callProvider(store, session, deps, (provider, context) => provider.cancel(session.reference!, key, context))
}

async function callProvider<T>(
  store: Pick<Store, 'id'>,
  session: ProviderAccount,
  deps: PaymentDeps,
  run: (provider: PaymentProvider, context: CallContext) => Promise<T>,
): Promise<T> {
  const provider = remoteProvider(session.provider)
  if (!provider) throw new ProviderUnavailable(`${session.provider} is not a remote provider`)
  const context = buildCallContext(store, session, deps)
  const timeout = new Promise<never>((_, reject) => {
    context.signal.addEventListener(
      'abort',
      () => reject(new ProviderUnavailable('The provider did not respond in time')),
      { once: true },
    )
  })
  try {
    return await Promise.race([run(provider, context), timeout])
  } catch (cause) {
    throw cause instanceof ProviderUnavailable ? cause : new ProviderUnavailable((cause as Error).message, { cause })
  }
}

function buildCallContext(
  store: Pick<Store, 'id'>,
  session: ProviderAccount,
  { vault, payments }: PaymentDeps,
): CallContext {
  const url = session.return_url ?? ''
  return {
    settings: session.method_id ? openSettings(vault, store.id, session.method_id, session) : {},
    currency: session.currency,
    returnUrl: url,
    cancelUrl: `${url}${url.includes('?') ? '&' : '?'}cancelled=1&canceled=1`,
    apiUrl: payments.apiUrls[session.provider] ?? null,
    now: payments.now(),
    signal: AbortSignal.timeout(payments.timeoutMs),
    fetch,
  }
}

/** Null: the webhook is not from the provider. */
export async function parseWebhook(
  store: Pick<Store, 'id'>,
  method: ProviderAccount,
  { raw, headers }: { raw: Buffer; headers: Record<string, string | string[] | undefined> },
  deps: PaymentDeps,
): Promise<WebhookEvent | MalformedWebhook | null> {
  const event = await callProvider(store, method, deps, (provider, context) =>
    provider.parseWebhook(raw, headers, context),
  )
  if (event === null || event === 'malformed') return event
  return toWebhookEvent(event.eventId, event.reference)
}
