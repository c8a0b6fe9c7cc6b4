import type { Words } from '../../kit/values/language.ts'

// prettier-ignore
export const homeWords = {
  today:              ['Today', 'Hoy'],
  sales:              ['Sales', 'Ventas'],
  average_order:      ['Average order', 'Pedido medio'],
  unpaid:             ['Waiting for payment', 'Pendientes de pago'],
  yesterday:          ['{value} yesterday by this time', '{value} ayer a esta hora'],
  first_steps:        ['First steps', 'Primeros pasos'],
  first_steps_text: ['Still to do: {count}. What is done ticks itself.',
    'Pendientes: {count}. Lo hecho se marca solo.'],
  step_done:          ['done', 'hecho'],
  step_product:       ['Add a product and make it active', 'Agrega un producto y actívalo'],
  step_shipping:      ['Say how you send: at least one shipping rate', 'Di cómo envías: al menos una tarifa de envío'],
  step_payment: ['Say how you are paid: at least one payment method',
    'Di cómo te pagan: al menos una forma de pago'],
  step_paid_rates: ['Every shipping rate can be paid by one of them',
    'Cada tarifa de envío se puede pagar con alguna de ellas'],
  step_open:          ['Open the shop: active, and not in maintenance', 'Abre la tienda: activa y sin mantenimiento'],
  attention:          ['Needs attention', 'Requiere atención'],
  attention_none:     ['All is well: nothing waits for you.', 'Nada te espera.'],
  attention_payments: ['Payments that do not fit their order', 'Pagos que no cuadran con su pedido'],
  attention_mails:    ['Mails that reached nobody', 'Correos que no llegaron a nadie'],
  attention_stock:    ['Products that run low', 'Productos con pocas existencias'],
  attention_sold_out: ['Products that are sold out', 'Productos agotados'],
  attention_webhooks: ['Webhooks that fail', 'Webhooks que fallan'],
} as const satisfies Words
