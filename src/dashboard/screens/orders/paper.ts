// What a paper of an order says, and in which language.
import type { Language } from '../../../kit/values/language.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import type { PageContext } from '../../framework/screen.ts'

/** What the law wants to be told of who sells. */
export type Seller = {
  name: string
  legal_name: string | null
  contact_address: string | null
  contact_email: string | null
  contact_phone: string | null
  tax_id: string | null
}

export type Paper = Pick<PageContext, 't' | 'price' | 'formatDate'> & {
  language: Language
  order: Order
  seller: Seller
}
