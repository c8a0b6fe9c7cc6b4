// Consent to marketing at checkout: a box that is never ticked beforehand (CJEU C-673/17), with the sentence beside it.
import type { Db, Tx } from '../../../kit/database/database.ts'
import type { Language } from '../../../kit/values/language.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { shopTexts } from './names.ts'
import { updateCustomer } from '../../../commerce/customers/operations.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { chooseTranslation } from '../../../tenancy/stores/language.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { TranslateTerm } from '../../../tenancy/stores/terms.ts'
import type { CheckoutRow } from '../checkout.ts'
import type { Offer } from './offer.ts'
import { findTermNames } from './offertexts.ts'

/** The sentence beside the box; null if the store does not ask. */
export function formatMarketingText(
  { asking }: Pick<Offer, 'asking'>,
  language: Language,
  translateTerm: TranslateTerm,
): string | null {
  if (asking.marketing === 'hidden') return null
  return asking.marketing_text ? translateTerm(asking.marketing_text) : shopTexts(language)('account_marketing')
}

/** The row with the sentence that its shopper has just agreed to. It stays as it was when they did. */
export async function withMarketingText(
  db: Db,
  store: Store,
  row: CheckoutRow,
  { before, offer }: { before: CheckoutRow | null; offer: Offer },
): Promise<CheckoutRow> {
  if (!row.accepts_marketing) return { ...row, marketing_text: null }
  return before?.accepts_marketing ? row : { ...row, marketing_text: await findMarketingText(db, store, row, offer) }
}

async function findMarketingText(db: Db, store: Store, { locale }: CheckoutRow, offer: Offer): Promise<string | null> {
  if (!offer.asking.marketing_text) return formatMarketingText(offer, locale, (text) => text)
  const translateTerm = await findTermNames(db, store.id, chooseTranslation(store, locale))
  return formatMarketingText(offer, locale, translateTerm)
}

/** Records the consent with the customer of the order. It is about emails, so it needs the address. */
export async function keepMarketingConsent(
  tx: Tx,
  store: Store,
  row: CheckoutRow,
  { order, offer }: { order: Order; offer: Offer },
): Promise<void> {
  if (!row.accepts_marketing || !order.customer_id || !row.customer_email) return
  const text = row.marketing_text ?? (await findMarketingText(tx, store, row, offer))
  await updateCustomer(tx, store, toUuid('cus', order.customer_id)!, {
    accepts_marketing: true,
    marketing_consent: { source: 'checkout', text },
  })
}
