// The first steps of a store: each is ticked by what there is, and says what keeps the shop from being open.
import { html } from 'hono/html'
import { findOffer } from '../../../storefront/checkout/offers/offer.ts'
import { isReady, lacksOf } from '../../../storefront/checkout/offers/readiness.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Html, Visit } from '../../framework/page.ts'
import { panel } from '../../framework/parts.ts'
import type { Word } from '../../framework/words.ts'

type Step = { word: Word; isDone: boolean; to: string }

/** Nothing any more once all is done. */
export async function firstSteps(visit: Visit): Promise<Html | ''> {
  const { db, store, say, base } = visit
  const [offer, products] = await Promise.all([
    findOffer(db, store),
    db.one<{ products_active: number }>(sql`
      select products_active from store_counters where store_id = ${store.id}`),
  ])
  const lacks = lacksOf(offer)
  // prettier-ignore
  const steps: Step[] = [
    { word: 'step_product', isDone: (products?.products_active ?? 0) > 0, to: '/products/new' },
    { word: 'step_shipping', isDone: !lacks.includes('shipping_rates'), to: '/settings/checkout/shipping' },
    { word: 'step_payment', isDone: !lacks.includes('payment_methods'), to: '/settings/checkout/payments' },
    { word: 'step_paid_rates', isDone: lacks.length === 0, to: '/settings/checkout/payments' },
    { word: 'step_open', isDone: store.status === 'active' && !store.maintenance_mode, to: '/settings/store' },
  ]
  const left = steps.filter(({ isDone }) => !isDone).length
  if (isReady(offer) && left === 0) return ''
  const drawn = steps.map(({ word, isDone, to }) => {
    const text = isDone ? say(word) : html`<a href="${base}${to}">${say(word)}</a>`
    return html`<li${isDone ? html` class="done"` : ''}><span aria-hidden="true">${isDone ? '✓' : '○'}</span>
<span>${text} ${isDone ? html`<span class="hidden">(${say('step_done')})</span>` : ''}</span></li>`
  })
  const progress = html`<progress max="${steps.length}" value="${steps.length - left}"
aria-label="${say('first_steps')}"></progress>`
  return panel(
    say('first_steps'),
    html`<p class="hint">${say('first_steps_text', { count: left })}</p>${progress}<ol class="steps">${drawn}</ol>`,
  )
}
