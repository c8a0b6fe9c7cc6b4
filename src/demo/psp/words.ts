// The texts of the provider's pages, in English and Spanish.
import { speaker, type Language, type Speak, type WordPairs } from '../../kit/values/language.ts'

// prettier-ignore
const words = {
  brand:          ['Sandbox payments', 'Pagos de prueba'],
  no_money:       ['No real money moves here.', 'Aquí no se mueve dinero real.'],
  pay:            ['Pay {name}', 'Pagar a {name}'],
  choose:         ['What should happen?', '¿Qué debe pasar?'],
  approve:        ['Approve', 'Aprobar'],
  challenge:      ['Approve after a code from the bank', 'Aprobar tras un código del banco'],
  late:           ['Pay late: return first', 'Pagar tarde: volver primero'],
  decline:        ['Decline', 'Rechazar'],
  close:          ['Back to the shop without paying', 'Volver a la tienda sin pagar'],
  code_title:     ['Is it you?', '¿Eres tú?'],
  code_text:      ['Your bank has sent you the code 1234.', 'Tu banco te ha enviado el código 1234.'],
  code:           ['Code', 'Código'],
  code_wrong:     ['That is another code. It is 1234.', 'Ese es otro código. Es 1234.'],
  confirm:        ['Confirm', 'Confirmar'],
  over:           ['Nothing to pay', 'Nada que pagar'],
  over_text:      ['This payment is already {status}.', 'Este pago ya está {status}.'],
  back:           ['Back to the shop', 'Volver a la tienda'],
  authorized:     ['authorised', 'autorizado'],
  captured:       ['made', 'hecho'],
  processing:     ['on its way', 'en camino'],
  failed:         ['declined', 'rechazado'],
  canceled:       ['cancelled', 'cancelado'],
  expired:        ['too old', 'vencido'],
  home_text:      ['A payment provider to try a shop with: it does what the shopper says.',
                   'Un proveedor de pagos para probar una tienda: hace lo que dice quien compra.'],
  open:           ['Open an account', 'Abrir una cuenta'],
  opened:         ['Your account', 'Tu cuenta'],
  api_key:        ['API key', 'Clave de API'],
  webhook_secret: ['Webhook secret', 'Secreto de webhooks'],
  webhook_url:    ['Where webhooks go (PUT /v1/account)', 'Adónde van los webhooks (PUT /v1/account)'],
} as const satisfies WordPairs

export type SandboxMessageKey = keyof typeof words

export const translatorFor: (language: Language) => Speak<SandboxMessageKey> = speaker(words)
