// Tests a merchant's settings: creates a payment at the provider and cancels it at once.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { resource } from '../../kit/declare/resource.ts'
import { flag, text } from '../../kit/declare/scalars.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { Decimal } from '../../kit/values/money.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { createPayment, cancel, remoteProvider, ProviderUnavailable, type PaymentDeps } from './providercalls.ts'
import type { ProviderName } from './providers.ts'
import type { SessionWithSettings } from './session.ts'
import type { ProviderSettings } from './settings.ts'
import { dispatchFaults } from '../../tenancy/dispatch/errors.ts'

// prettier-ignore
export const trial = resource('payment_methods', {
  succeeded: flag().example(true).describe('Whether the settings work; true without a provider'),
  reason:    text().nullable().example('Invalid API Key provided').describe('Why the test failed'),
}, {}, { noun: 'Payment method', title: 'Payment test' }).entity

type MethodTestResult = { succeeded: boolean; reason: string | null }

/** Between the minimum and maximum of every provider and currency; nobody ever pays it. */
const amount = new Decimal(50000)

/** Includes the base URL of online stores. */
export type TrialDeps = PaymentDeps & { checkout: { baseUrl: string } }
type TrialContext = TrialDeps & { db: Db; store: Store; isDryRun: boolean; params: { id: string } }

export async function testMethod({ db, store, isDryRun, params, ...deps }: TrialContext): Promise<MethodTestResult> {
  const method = await db.one<{ provider: ProviderName; settings: ProviderSettings; secrets: string | null }>(sql`
    select provider, settings, secrets
    from payment_methods
    where store_id = ${store.id}
      and id = ${params.id}`)
  if (!method) throw notFound('Payment method')
  if (!remoteProvider(method.provider)) return { succeeded: true, reason: null }
  if (isDryRun) throw invalid(fault('Prefer', dispatchFaults.receiver_not_asked))
  const return_url = store.storefront_url
  const session = { ...method, id: newUuid(), method_id: params.id, amount, currency: store.currency, return_url }
  try {
    const payment = await createPayment(store, session as SessionWithSettings, deps)
    if ('refused' in payment) return { succeeded: false, reason: payment.refused }
    await cancel(store, { ...session, reference: payment.reference } as SessionWithSettings, session.id, deps)
    return { succeeded: true, reason: null }
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    return { succeeded: false, reason: error.message }
  }
}
