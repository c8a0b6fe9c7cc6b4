// Calls of a provider: what each may use, how long it may take, and whether what comes back is an answer at all.
// No call is made inside a transaction: whoever hangs holds no lock and no connection of the database.
import { publicId } from '../../kit/values/ids.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { statuses } from './payment.ts'
import { disputeStatuses, type At, type Begun, type Heard, type Malformed, type Moved } from './provider.ts'
import type { PaymentProvider, Refused, Seen } from './provider.ts'
import { providerNamed, type ProviderName } from './providers.ts'
import { openSettings } from './settings.ts'
import { keptOf } from './events.ts'
import type { AskedSession } from './session.ts'
import { heardOf } from './webhookbody.ts'

/** Where providers are, if not at their usual address; how long an answer may take. */
type PaymentTerms = { apiUrls: Partial<Record<string, string | null>>; timeoutMs: number; now(): Date }

/** What asking providers needs beside the database. */
export type PaymentTools = { vault: Vault; payments: PaymentTerms }

/** The provider did not answer, or not so that it could be understood: what became of it is unknown. */
export class Unanswered extends Error {}

type Asked = Pick<AskedSession, 'method_id' | 'provider' | 'settings' | 'secrets' | 'currency' | 'return_url'>

export function remoteProvider(name: ProviderName): PaymentProvider | null {
  const provider = providerNamed(name)
  return provider.kind === 'elsewhere' ? provider : null
}

/** Where its shoppers are sent. */
export function originsOf(name: ProviderName, { payments }: PaymentTools): string[] {
  return remoteProvider(name)?.origins({ settings: {}, apiUrl: payments.apiUrls[name] ?? null }) ?? []
}

export async function begin(store: Store, session: AskedSession, tools: PaymentTools): Promise<Begun | Refused> {
  const wanted = {
    id: publicId('pmt', session.id),
    amount: Number(session.amount),
    currency: session.currency,
    description: store.name,
  }
  const begun = await call(store, session, tools, (provider, at) => provider.begin(wanted, at))
  if ('refused' in begun) return begun
  const redirect = begun.next?.redirect
  if (typeof begun.reference !== 'string' || !begun.reference) throw new Unanswered('a payment without a reference')
  if (redirect !== undefined && !/^https?:\/\//.test(redirect)) throw new Unanswered('a payment that leads nowhere')
  return begun
}

export async function look(store: Store, session: AskedSession, tools: PaymentTools): Promise<Seen> {
  const existing = { refunded: Number(session.refunded_amount) + Number(session.refunding_amount) }
  const seen = await call(store, session, tools, (provider, at) => provider.look(session.reference!, at, existing))
  const disputes = seen?.disputes ?? []
  const amounts = [seen?.authorized, seen?.captured, seen?.refunded, ...disputes.map(({ amount }) => amount)]
  const isWhole =
    statuses.includes(seen?.status) &&
    typeof seen.currency === 'string' &&
    amounts.every((amount) => Number.isFinite(amount) && amount >= 0) &&
    seen.refunded <= seen.captured &&
    disputes.every(({ status, reference }) => disputeStatuses.includes(status) && typeof reference === 'string')
  if (!isWhole) throw new Unanswered('what was seen of a payment makes no sense')
  return seen
}

/** Idempotent by key. */
export function giveBack(
  store: Store,
  session: AskedSession,
  seen: Seen,
  key: string,
  tools: PaymentTools,
): Promise<Moved | Refused> {
  const amount = keptOf(seen).toNumber()
  return amount > 0 ? refund(store, session, amount, key, tools) : cancel(store, session, key, tools)
}

/** Idempotent by key. */
export function refund(
  store: Store,
  session: AskedSession,
  amount: number,
  key: string,
  tools: PaymentTools,
): Promise<Moved | Refused> {
  return call(store, session, tools, (provider, at) => provider.refund(session.reference!, amount, key, at))
}

/** Idempotent by key. */
export function capture(
  store: Store,
  session: AskedSession,
  amount: number,
  key: string,
  tools: PaymentTools,
): Promise<Moved | Refused> {
  return call(store, session, tools, (provider, at) => provider.capture(session.reference!, amount, key, at))
}

/** Idempotent by key. */
export function cancel(
  store: Store,
  session: AskedSession,
  key: string,
  tools: PaymentTools,
): Promise<Moved | Refused> {
  return call(store, session, tools, (provider, at) => provider.cancel(session.reference!, key, at))
}

async function call<T>(
  store: Pick<Store, 'id'>,
  session: Asked,
  tools: PaymentTools,
  ask: (provider: PaymentProvider, at: At) => Promise<T>,
): Promise<T> {
  const provider = remoteProvider(session.provider)
  if (!provider) throw new Unanswered(`${session.provider} is no provider that could be asked`)
  const at = atOf(store, session, tools)
  const late = new Promise<never>((_, reject) => {
    at.signal.addEventListener('abort', () => reject(new Unanswered('no answer in time')), { once: true })
  })
  try {
    return await Promise.race([ask(provider, at), late])
  } catch (cause) {
    throw cause instanceof Unanswered ? cause : new Unanswered((cause as Error).message, { cause })
  }
}

function atOf(store: Pick<Store, 'id'>, session: Asked, { vault, payments }: PaymentTools): At {
  const url = session.return_url ?? ''
  return {
    settings: session.method_id ? openSettings(vault, store.id, session.method_id, session) : {},
    currency: session.currency,
    returnUrl: url,
    cancelUrl: `${url}${url.includes('?') ? '&' : '?'}canceled=1`,
    apiUrl: payments.apiUrls[session.provider] ?? null,
    now: payments.now(),
    signal: AbortSignal.timeout(payments.timeoutMs),
    fetch,
  }
}

/** Null: it does not come from the provider. */
export async function hear(
  store: Pick<Store, 'id'>,
  method: Asked,
  { raw, headers }: { raw: Buffer; headers: Record<string, string | string[] | undefined> },
  tools: PaymentTools,
): Promise<Heard | Malformed | null> {
  const heard = await call(store, method, tools, (provider, at) => provider.hear(raw, headers, at))
  if (heard === null || heard === 'malformed') return heard
  return heardOf(heard.eventId, heard.reference)
}
