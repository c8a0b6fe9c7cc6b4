// The first steps of a new store. Each is done when its record exists.
import { html } from 'hono/html'
import { findOffer } from '../../../storefront/checkout/offers/offer.ts'
import { isReady, lacksOf } from '../../../storefront/checkout/offers/readiness.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { icon } from '../../framework/icons.ts'
import { panel } from '../../framework/parts.ts'
import type { MessageKey } from '../../framework/messages.ts'

type OnboardingStep = { word: MessageKey; isDone: boolean; to: string }

/** Returns nothing once all steps are done. */
export async function firstSteps(context: PageContext): Promise<Html | ''> {
  const { db, store, t, base } = context
  const [offer, products] = await Promise.all([
    findOffer(db, store),
    db.one<{ products_active: number }>(sql`
      select products_active from store_counters where store_id = ${store.id}`),
  ])
  const lacks = lacksOf(offer)
  // prettier-ignore
  const steps: OnboardingStep[] = [
    { word: 'step_product', isDone: (products?.products_active ?? 0) > 0, to: '/products/new' },
    { word: 'step_shipping', isDone: !lacks.includes('shipping_rates'), to: '/settings/checkout/shipping' },
    { word: 'step_payment', isDone: !lacks.includes('payment_methods'), to: '/settings/checkout/payments' },
    { word: 'step_paid_rates', isDone: lacks.length === 0, to: '/settings/checkout/payments' },
    { word: 'step_open', isDone: store.status === 'active' && !store.maintenance_mode, to: '/settings/store' },
  ]
  const left = steps.filter(({ isDone }) => !isDone).length
  if (isReady(offer) && left === 0) return ''
  const items = steps.map(({ word, isDone, to }) => {
    const text = isDone ? t(word) : html`<a href="${base}${to}">${t(word)}</a>`
    return html`<li${isDone ? html` class="done"` : ''}>${icon(isDone ? 'done' : 'open')}
<span>${text} ${isDone ? html`<span class="hidden">(${t('step_done')})</span>` : ''}</span></li>`
  })
  const progress = html`<progress max="${steps.length}" value="${steps.length - left}"
aria-label="${t('first_steps')}"></progress>`
  return panel(
    t('first_steps'),
    html`<p class="hint">${t('first_steps_text', { count: left })}</p>${progress}<ol class="steps">${items}</ol>`,
  )
}
