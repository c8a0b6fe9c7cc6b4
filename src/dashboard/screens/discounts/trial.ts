// Tries a discount on a cart of an amount, a quantity and a customer, and says of each rule whether it is met.
import { html } from 'hono/html'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { checksOf, type DiscountCheck } from '../../../commerce/discounts/checks.ts'
import { discountKinds, type Discount } from '../../../commerce/discounts/discount.ts'
import { discountOf, type FoundDiscount } from '../../../commerce/discounts/pricing.ts'
import { findDiscounts, groupNamesOf } from '../../../commerce/discounts/uses.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

type Trial = { total: string; quantity: number; email: string | null }

/** Applies the discount to such a cart, as the checkout does if no other discount applies. */
export async function trialPanel(context: PageContext, discount: Discount): Promise<Html> {
  const { t, here, store, query } = context
  const trial = trialOf(query)
  const inputs = [
    { name: 'total', text: html`${t('discount_try_total')} <small>${store.currency}</small>`, inputmode: 'decimal' },
    { name: 'quantity', text: t('try_quantity'), inputmode: 'numeric' },
    ...(discount.once_per_customer || discount.customer_group_ids.length > 0
      ? [{ name: 'email', text: t('try_email'), inputmode: 'email' }]
      : []),
  ].map(({ name, text, inputmode }) => {
    const about = { id: `try-${name}`, name, value: query[name] ?? '', inputmode, maxlength: 200, autocomplete: 'off' }
    const kind = name === 'email' ? '' : 'number'
    return html`<p class="field"><label for="try-${name}">${text}</label>
<input${attributes({ ...about, class: kind })}></p>`
  })
  return panel(
    t('discount_try'),
    html`<form action="${new URL(here, 'http://here').pathname}" class="try">${inputs}
<p class="send"><button class="quiet">${t('discount_try_button')}</button></p></form>
<div role="status">${trial ? await resultOf(context, discount, trial) : ''}</div>`,
  )
}

function trialOf(query: PageContext['query']): Trial | null {
  const total = (query.total ?? '').trim().replace(',', '.')
  const quantity = (query.quantity ?? '').trim() || '1'
  const isAmount = /^\d{1,12}(\.\d{1,4})?$/.test(total) && /^[1-9]\d{0,5}$/.test(quantity)
  return isAmount ? { total, quantity: Number(quantity), email: query.email?.trim() || null } : null
}

async function resultOf(context: PageContext, { code }: Discount, { total, quantity, email }: Trial): Promise<Html> {
  const { db, store, t, price } = context
  const { typed } = await findDiscounts(db, store, { code, withAutomatic: false, buyer: { email } })
  const row = typed && forAnyItems(typed)
  const cart = [{ product_id: null, category_id: null, quantity, total: new Decimal(total) }]
  const pricing = { currency: store.currency, now: db.clock.now() }
  const { amount, free_shipping, reason } = discountOf(row, cart, pricing)
  const effect = free_shipping ? t('try_free_shipping') : t('try_gives', { amount: price(toNumber(amount)) })
  const groups = row && row.customer_group_ids.length > 0 ? await groupNamesOf(db, store.id, row.id) : []
  const checks = row ? checksOf(row, cart, { ...pricing, groups }) : []
  return html`<p>${reason ? mark(t(`try_${reason}`), 'warn') : mark(effect, 'good')}</p>
<ul class="checks" aria-label="${t('discount_checks')}">${checks.map((check) => checkLine(context, check))}</ul>`
}

/** The amount is that of items that the discount applies to. */
function forAnyItems(row: FoundDiscount): FoundDiscount {
  return { ...row, applies_to_all: true, buy_product_ids: [], buy_category_ids: [] }
}

function checkLine({ t, price, formatTime }: PageContext, { rule, is_met, values }: DiscountCheck): Html {
  const kinds = discountKinds.filter((kind) => String(values.kinds ?? '').includes(kind))
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    value instanceof Date ? formatTime(value) : name === 'amount' ? price(Number(value)) : String(value),
  ])
  const text = t(`check_${rule}`, {
    ...Object.fromEntries(shown),
    ...(kinds.length > 0 ? { kinds: kinds.map((kind) => t(`combines_${kind}`)).join(', ') } : {}),
  })
  return html`<li>${mark(t(is_met ? 'check_met' : 'check_not_met'), is_met ? 'good' : 'warn')} ${text}</li>`
}
