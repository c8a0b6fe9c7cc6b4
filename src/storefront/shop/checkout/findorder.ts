// Who has lost the link of an order gets it by mail again. The page says the same whether there is such an order or
// not.
import { html } from 'hono/html'
import { mailOrderLink } from '../../../commerce/orders/mail.ts'
import { aboutField, attributes, faultOf } from '../../../platform/pages/parts.ts'
import { rows } from '../frame/formrows.ts'
import { field, type Html, type Reply, type Visit } from '../frame/page.ts'
import { frame, note } from '../frame/view.ts'

type Typed = { email: string; number: string }
type Said = Partial<Record<keyof Typed, string>>

export function askForOrder(visit: Visit): Reply {
  return { page: form(visit, { email: '', number: '' }, {}) }
}

export async function sendOrderLink(visit: Visit): Promise<Reply> {
  const { db, store, say, language, guard } = visit
  const typed = { email: field(visit.form, 'email').slice(0, 254), number: field(visit.form, 'number').slice(0, 30) }
  const [, digits] = /^#?\s*(\d{1,15})$/.exec(typed.number) ?? []
  const said: Said = {
    ...(/^[^\s@]+@\S+$/.test(typed.email) ? {} : { email: say(rows['customer.email'].wrong) }),
    ...(digits ? {} : { number: say('order_number_bad') }),
  }
  if (!digits || said.email) return { status: 422, page: form(visit, typed, said) }
  await guard.askForOrder(store.id)
  const asked = { email: typed.email, number: Number(digits), language }
  await db.transaction(async (tx) => mailOrderLink(tx, store, asked))
  const text = say('link_sent_text', { email: typed.email })
  return { page: note(visit, { title: say('link_sent'), text }) }
}

function form(visit: Visit, typed: Typed, said: Said): Html {
  const { say, root } = visit
  const first = said.email ? 'email' : 'number'
  const input = (name: keyof Typed, label: string, own: Record<string, string | number | boolean>) => {
    const known = attributes({ id: name, name, value: typed[name], required: true, ...own })
    const fault = said[name]
    return html`<p class="field"><label for="${name}">${label}</label>
<input${known}${aboutField(name, { fault, focus: fault !== undefined && first === name })}></p>${faultOf(name, fault)}`
  }
  return frame(visit, {
    title: say('find_order'),
    content: html`<div class="ask"><h1>${say('find_order')}</h1>
<p>${say('find_order_text')}</p>
<form method="post" action="${root}/find-order" novalidate>
${input('email', say(rows['customer.email'].label), { type: 'email', autocomplete: 'email', maxlength: 254 })}
${input('number', say('order_number'), { type: 'text', inputmode: 'numeric', autocomplete: 'off', maxlength: 30 })}
<button class="full">${say('send_link')}</button>
</form></div>`,
  })
}
