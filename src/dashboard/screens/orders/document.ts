// The data of a printed document and its language.
import type { Language } from '../../../kit/values/language.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import type { PageContext } from '../../framework/screen.ts'

/** Details of the seller that invoices must show. */
export type Seller = {
  name: string
  legal_name: string | null
  contact_address: string | null
  contact_email: string | null
  contact_phone: string | null
  tax_id: string | null
}

export type OrderDocument = Pick<PageContext, 't' | 'price' | 'formatDate'> & {
  language: Language
  order: Order
  seller: Seller
}
