import type { Words } from '../../kit/values/language.ts'

// prettier-ignore
export const orderWords = {
  order_number:        ['Order', 'Pedido'],
  order_title:         ['Order #{number}', 'Pedido n.º {number}'],
  customer_name:       ['Customer', 'Cliente'],
  payment_status:      ['Payment', 'Pago'],
  fulfillment_status:  ['Sent', 'Envío'],
  item_count:          ['Items', 'Artículos'],
  orders_none:         ['No orders yet', 'Aún no hay pedidos'],
  orders_none_text: ['They come by themselves once the shop is open: look at what is still missing on the home screen.',
    'Llegarán solos cuando la tienda esté abierta: mira en el inicio qué falta.'],
  status_pending:      ['Pending', 'Pendiente'],
  status_confirmed:    ['Confirmed', 'Confirmado'],
  status_in_progress:  ['In progress', 'En preparación'],
  status_completed:    ['Completed', 'Completado'],
  status_cancelled:    ['Cancelled', 'Cancelado'],
  status_returned:     ['Returned', 'Devuelto'],
  payment_status_pending:  ['Unpaid', 'Sin pagar'],
  payment_status_paid:     ['Paid', 'Pagado'],
  payment_status_refunded: ['Refunded', 'Reembolsado'],
  payment_status_failed:   ['Failed', 'Fallido'],
  fulfillment_status_unfulfilled: ['Not sent', 'Sin enviar'],
  fulfillment_status_partial:     ['Partly sent', 'Enviado en parte'],
  fulfillment_status_fulfilled:   ['Sent', 'Enviado'],
  mark_as:             ['Mark as', 'Marcar como'],
} as const satisfies Words
