// The data of a printed document and its language.
import { html } from 'hono/html'
import type { Language } from '../../../kit/values/language.ts'
import type { CustomsFacts } from '../../../commerce/catalog/customs.ts'
import { showAnswers } from '../../../commerce/orders/answers.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { messageOr } from '../../framework/messages.ts'
import { facts } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

/** Details of the seller that the law requires on invoices. */
export type Seller = {
  name: string
  country_code: string
  legal_name: string | null
  contact_address: string | null
  contact_email: string | null
  contact_phone: string | null
  tax_id: string | null
  /** The store's own names of its payment methods and shipping rates, by code. */
  names: Record<string, string>
}

export type OrderDocument = Pick<PageContext, 't' | 'price' | 'formatDate'> & {
  language: Language
  order: Order
  seller: Seller
  /** The customs facts of each item of an order to another country; otherwise empty. */
  customs: readonly (CustomsFacts | null)[]
  /** Of a packing slip: by bundle, the units of each part that are still to be sent. */
  unsent: ReadonlyMap<string, readonly number[]>
}

/** The store's own name of a payment or shipping method, or the default name. */
export function methodName({ t, seller }: OrderDocument, code: string | null): string {
  return code === null ? '–' : (seller.names[code] ?? messageOr(t, `method_${code}`, code))
}

/** What the customer answered at checkout. */
export function renderAnswers(
  { t, language }: Pick<PageContext, 't' | 'language'>,
  order: Pick<Order, 'custom_fields'>,
): Html | null {
  const answers = showAnswers(order, { language, yes: t('yes'), no: t('no') })
  return answers.length > 0 ? facts(answers.map(({ label, text }) => [label, text])) : null
}

export function printAnswers(paper: OrderDocument): Html | '' {
  const answers = renderAnswers(paper, paper.order)
  return answers ? html`<h3>${paper.t('answers')}</h3>${answers}` : ''
}
