// Emails the lost link of an order again. The page is the same whether or not there is such an
// order.
import { html } from 'hono/html'
import { mailOrderLink } from '../../../commerce/orders/mail.ts'
import { aboutField, attributes, renderFieldFault } from '../../../platform/pages/parts.ts'
import { rows } from '../frame/formrows.ts'
import { field, type Html, type ShopResult, type ShopContext } from '../frame/page.ts'
import { frame, note } from '../frame/view.ts'

type OrderQuery = { email: string; number: string }
type OrderQueryErrors = Partial<Record<keyof OrderQuery, string>>

export function askForOrder(context: ShopContext): ShopResult {
  return { page: form(context, { email: '', number: '' }, {}) }
}

export async function sendOrderLink(context: ShopContext): Promise<ShopResult> {
  const { db, store, t, language, guard } = context
  const query = {
    email: field(context.form, 'email').slice(0, 254),
    number: field(context.form, 'number').slice(0, 30),
  }
  const [, digits] = /^#?\s*(\d{1,15})$/.exec(query.number) ?? []
  const errors: OrderQueryErrors = {
    ...(/^[^\s@]+@\S+$/.test(query.email) ? {} : { email: t(rows['customer.email'].wrong) }),
    ...(digits ? {} : { number: t('order_number_bad') }),
  }
  if (!digits || errors.email) return { status: 422, page: form(context, query, errors) }
  await guard.askForOrder(store.id)
  const request = { email: query.email, number: Number(digits), language }
  await db.transaction(async (tx) => mailOrderLink(tx, store, request))
  const text = t('link_sent_text', { email: query.email })
  return { page: note(context, { title: t('link_sent'), text }) }
}

function form(context: ShopContext, query: OrderQuery, errors: OrderQueryErrors): Html {
  const { t, root } = context
  const first = errors.email ? 'email' : 'number'
  const input = (name: keyof OrderQuery, label: string, own: Record<string, string | number | boolean>) => {
    const inputAttributes = attributes({ id: name, name, value: query[name], required: true, ...own })
    const fault = errors[name]
    const about = aboutField(name, { fault, focus: fault !== undefined && first === name })
    return html`<p class="field"><label for="${name}">${label}</label>
<input${inputAttributes}${about}></p>${renderFieldFault(name, fault)}`
  }
  return frame(context, {
    title: t('find_order'),
    content: html`<div class="ask"><h1>${t('find_order')}</h1>
<p>${t('find_order_text')}</p>
<form method="post" action="${root}/find-order" novalidate>
${input('email', t(rows['customer.email'].label), { type: 'email', autocomplete: 'email', maxlength: 254 })}
${input('number', t('order_number'), { type: 'text', inputmode: 'numeric', autocomplete: 'off', maxlength: 30 })}
<button class="full">${t('send_link')}</button>
</form></div>`,
  })
}
