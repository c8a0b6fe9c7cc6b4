// What letters say, in English and Spanish side by side. Subject and introduction of each kind are those that a store
// may have words of its own for; both may name {store}, {number} and {total}.
import { speaker, type Language, type Speak, type Words } from '../kit/values/language.ts'
import type { MailKind } from '../mails/kinds.ts'

// prettier-ignore
const subjects = {
  order_confirmation: ['Your order {number} at {store}', 'Tu pedido {number} en {store}'],
  order_notice:       ['New order {number}: {total}', 'Nuevo pedido {number}: {total}'],
  order_paid:         ['Payment received for order {number}', 'Pago recibido del pedido {number}'],
  order_shipped:      ['Order {number} is on its way', 'El pedido {number} va en camino'],
  order_refunded:     ['Refund for order {number}', 'Reembolso del pedido {number}'],
  order_cancelled:    ['Order {number} was cancelled', 'El pedido {number} se canceló'],
  order_link:         ['Your order {number} at {store}', 'Tu pedido {number} en {store}'],
  payment_failed:     ['Your payment at {store} did not go through', 'Tu pago en {store} no se completó'],
} satisfies Record<MailKind, readonly [string, string]>

// prettier-ignore
const introductions = {
  order_confirmation: ['Thank you for your order at {store}. Here is what we have written down.',
                       'Gracias por tu pedido en {store}. Esto es lo que anotamos.'],
  order_notice:       ['Somebody has placed an order at {store}.', 'Alguien hizo un pedido en {store}.'],
  order_paid:         ['We have received your payment of {total}. Thank you!',
                       'Recibimos tu pago de {total}. ¡Gracias!'],
  order_shipped:      ['A parcel of your order {number} at {store} was sent.',
                       'Enviamos un paquete de tu pedido {number} en {store}.'],
  order_refunded:     ['You get money of your order {number} at {store} back.',
                       'Te devolvemos dinero de tu pedido {number} en {store}.'],
  order_cancelled:    ['Your order {number} at {store} was cancelled.', 'Tu pedido {number} en {store} se canceló.'],
  order_link:         ['You asked where to find your order. It is here:',
                       'Preguntaste dónde encontrar tu pedido. Está aquí:'],
  payment_failed:     ['Your payment of {total} was not made, and nothing was ordered. What you chose is still there:',
                       'Tu pago de {total} no se hizo y no se pidió nada. Lo que elegiste sigue ahí:'],
} satisfies Record<MailKind, readonly [string, string]>

// prettier-ignore
const words = {
  hello:         ['Hello {name},', 'Hola, {name}:'],
  hi:            ['Hello,', 'Hola:'],
  see_order:     ['See your order', 'Ver tu pedido'],
  see_the_order: ['See the order', 'Ver el pedido'],
  try_again:     ['Back to the checkout', 'Volver a la compra'],
  chosen:        ['What you chose', 'Lo que elegiste'],
  items:         ['Order {number}', 'Pedido {number}'],
  subtotal:      ['Subtotal', 'Subtotal'],
  discount:      ['Discount', 'Descuento'],
  discount_with: ['Discount {code}', 'Descuento {code}'],
  shipping:      ['Shipping', 'Envío'],
  free:          ['Free', 'Gratis'],
  tax:           ['Tax', 'Impuestos'],
  total:         ['Total', 'Total'],
  included_tax:  ['Tax included', 'Impuestos incluidos'],
  payment:       ['Payment', 'Pago'],
  paid:          ['paid', 'pagado'],
  unpaid:        ['not paid yet', 'sin pagar aún'],
  refunded:      ['refunded', 'reembolsado'],
  failed:        ['failed', 'rechazado'],
  instructions:  ['How to pay', 'Cómo pagar'],
  delivery:      ['Shipping', 'Envío'],
  address:       ['Delivery address', 'Dirección de entrega'],
  parcel:        ['In this parcel', 'En este paquete'],
  carrier:       ['Carrier', 'Paquetería'],
  tracking:      ['Tracking number', 'Número de guía'],
  track:         ['Track the parcel', 'Seguir el paquete'],
  given_back:    ['Refunded', 'Reembolsado'],
  takes_days:    ['It can take some days until it is on your account.',
                  'Puede tardar unos días en llegar a tu cuenta.'],
  customer:      ['Customer', 'Cliente'],
  note:          ['Note', 'Nota'],
  keep:          ['Keep this mail: whoever has its link can see the order.',
                  'Guarda este correo: quien tenga su enlace puede ver el pedido.'],
  not_you:       ['If you did not ask for this, there is nothing to do.', 'Si no lo pediste, no hay nada que hacer.'],
} as const satisfies Words

export type LetterWord = keyof typeof words

export const sayIn: (language: Language) => Speak<LetterWord> = speaker(words)
export const usualSubject: (language: Language) => Speak<MailKind> = speaker(subjects)
export const usualIntroduction: (language: Language) => Speak<MailKind> = speaker(introductions)
