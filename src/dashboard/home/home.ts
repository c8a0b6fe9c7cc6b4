// The first screen: what keeps the shop from being open, what needs attention, and today beside yesterday.
import { html } from 'hono/html'
import { entityPage } from '../../kit/declare/page.ts'
import type { Fields } from '../../kit/declare/field.ts'
import type { ResourceOf } from '../../kit/declare/resource.ts'
import { dayOf, startOfDay } from '../../kit/values/timezone.ts'
import { mayUse } from '../../accounts/roles.ts'
import { product } from '../../catalog/product.ts'
import { findOffer } from '../../checkout/offer.ts'
import { isReady, lacksOf } from '../../checkout/readiness.ts'
import { mail } from '../../mails/mail.ts'
import { sumsBetween, type Sums } from '../../orders/sums.ts'
import { payment } from '../../payments/payment.ts'
import { webhook } from '../../webhooks/webhook.ts'
import type { Html, Screen, Visit } from '../page.ts'
import { mark, panel } from '../parts.ts'
import type { Word } from '../words.ts'

export const home: Screen = {
  path: '',
  scope: 'read:store',
  title: 'home',
  section: 'home',
  async show(visit) {
    const [today, steps, attention] = await Promise.all([todaysSums(visit), firstSteps(visit), needsAttention(visit)])
    return { content: html`${steps}${today}${attention}` }
  },
}

const dayMs = 24 * 3_600_000

async function todaysSums({ db, store, say, price, role }: Visit): Promise<Html | ''> {
  if (!mayUse(role, 'read:orders')) return ''
  const now = db.clock.now()
  const day = dayOf(now, store.timezone)
  const [begin, before] = [startOfDay(day, store.timezone), startOfDay(day, store.timezone, -1)]
  const soFar = new Date(Math.min(before.getTime() + (now.getTime() - begin.getTime()), begin.getTime()))
  const [today, yesterday] = await Promise.all([
    sumsBetween(db, store.id, begin, new Date(begin.getTime() + 2 * dayMs)),
    sumsBetween(db, store.id, before, soFar),
  ])
  const average = ({ sales, orders }: Sums) => (orders > 0 ? sales / orders : 0)
  const figure = (word: Word, value: string, then: string) => html`<div class="figure"><dt>${say(word)}</dt>
<dd><strong>${value}</strong> <span class="hint">${say('yesterday', { value: then })}</span></dd></div>`
  return panel(
    say('today'),
    html`<dl class="figures">
${figure('sales', price(today.sales), price(yesterday.sales))}
${figure('orders', String(today.orders), String(yesterday.orders))}
${figure('average_order', price(average(today)), price(average(yesterday)))}
${figure('unpaid', String(today.unpaid), String(yesterday.unpaid))}</dl>`,
  )
}

type Step = { word: Word; isDone: boolean }

/** Each is ticked by what there is, and all of them go once the shop has sold something. */
async function firstSteps(visit: Visit): Promise<Html | ''> {
  const { db, store, say } = visit
  const query = { page: 1, per_page: 1, sort: 'created_at', order: 'desc', status: 'active' } as const
  const [offer, { pagination }] = await Promise.all([findOffer(db, store), entityPage(db, product, store, query)])
  const lacks = lacksOf(offer)
  const steps: Step[] = [
    { word: 'step_product', isDone: pagination.total > 0 },
    { word: 'step_shipping', isDone: !lacks.includes('shipping_rates') },
    { word: 'step_payment', isDone: !lacks.includes('payment_methods') },
    { word: 'step_paid_rates', isDone: lacks.length === 0 },
    { word: 'step_open', isDone: store.status === 'active' && !store.maintenance_mode },
  ]
  if (isReady(offer) && steps.every(({ isDone }) => isDone)) return ''
  const left = steps.filter(({ isDone }) => !isDone).length
  const drawn = steps.map(
    ({
      word,
      isDone,
    }) => html`<li${isDone ? html` class="done"` : ''}><span aria-hidden="true">${isDone ? '✓' : '○'}</span>
<span>${say(word)} ${isDone ? html`<span class="hidden">(${say('step_done')})</span>` : ''}</span></li>`,
  )
  return panel(
    say('first_steps'),
    html`<p class="hint">${say('first_steps_text', { count: left })}</p><ol class="steps">${drawn}</ol>`,
  )
}

/** Each list is asked for one record: its total says how many there are. */
async function needsAttention(visit: Visit): Promise<Html> {
  const { say, role, base } = visit
  // prettier-ignore
  const kinds: { scope: string; word: Word; to: string; count: () => Promise<number> }[] = [
    { scope: 'read:orders', word: 'attention_payments', to: '/orders?payment_status=pending',
      count: () => total(visit, payment, { needs_attention: true }) },
    { scope: 'read:orders', word: 'attention_mails', to: '/orders',
      count: () => total(visit, mail, { status: 'failed', kind: 'all' }) },
    { scope: 'read:products', word: 'attention_stock', to: '/products?stock_status=low_stock',
      count: () => total(visit, product, { status: 'active', stock_status: 'low_stock' }) },
    { scope: 'read:products', word: 'attention_sold_out', to: '/products?stock_status=out_of_stock',
      count: () => total(visit, product, { status: 'active', stock_status: 'out_of_stock' }) },
    { scope: 'read:webhooks', word: 'attention_webhooks', to: '/settings/developer/webhooks',
      count: () => failingWebhooks(visit) },
  ]
  const open = kinds.filter(({ scope }) => mayUse(role, scope))
  const counts = await Promise.all(open.map(({ count }) => count()))
  const rows = open.flatMap(({ word, to }, index) => {
    const count = counts[index]!
    return count === 0 ? [] : html`<li><a href="${base}${to}">${say(word)}</a> ${mark(String(count), 'warn')}</li>`
  })
  const drawn = rows.length === 0 ? html`<p>${say('attention_none')}</p>` : html`<ul class="attention">${rows}</ul>`
  return panel(say('attention'), drawn)
}

async function total<F extends Fields>(
  { db, store }: Visit,
  resource: ResourceOf<F>,
  filters: Record<string, unknown>,
): Promise<number> {
  const query = { page: 1, per_page: 1, sort: 'created_at', order: 'desc', ...filters } as const
  return (await entityPage(db, resource, store, query)).pagination.total
}

/** A store has few. */
async function failingWebhooks({ db, store }: Visit): Promise<number> {
  const query = { page: 1, per_page: 100, sort: 'created_at', order: 'desc' } as const
  const { data } = await entityPage(db, webhook, store, query)
  return data.filter(({ status, disabled_reason, consecutive_failures }) => {
    const isOff = status === 'disabled' && disabled_reason !== 'manual'
    return isOff || status === 'paused' || (status === 'active' && consecutive_failures > 0)
  }).length
}
