// The recovery mail: what was left, the way back to it, and the way out of such mail (RFC 8058).
import { speaker } from '../kit/values/language.ts'
import { priceIn } from '../kit/values/prices.ts'
import type { Letter } from '../platform/outbound/mail.ts'
import type { CheckoutRow } from './checkout.ts'
import { recoveryUrl } from './link.ts'

/** What it says of the store. */
export type LetterFacts = { store_name: string; slug: string; country_code: string }

// prettier-ignore
const speak = speaker({
  subject: ['You left something at {store}', 'Olvidaste algo en {store}'],
  hello:   ['Hello {name},', 'Hola, {name}:'],
  hi:      ['Hello,', 'Hola:'],
  left:    ['You left this at {store}:', 'Dejaste esto en {store}:'],
  total:   ['Total: {total}', 'Total: {total}'],
  back:    ['Your cart is waiting. Continue where you left off:', 'Tu carrito te espera. Continúa donde lo dejaste:'],
  no_more: ['No more mail like this from {store}:', 'Para no recibir más correos como este de {store}:'],
})

export function letterOf(
  { store_name, slug, country_code, ...checkout }: LetterFacts & CheckoutRow,
  baseUrl: string,
  token: string,
): Letter {
  const say = speak(checkout.locale)
  const store = oneLine(store_name),
    name = nameIn(checkout.customer_name)
  const price = priceIn(checkout.locale, { currency: checkout.currency, country_code })
  const unsubscribe = `${baseUrl}/s/${slug}/unsubscribe/${token}`
  const bought = [
    ...checkout.items.map(({ quantity, product_name, variant_name, total_price }) => {
      const name = oneLine([product_name, variant_name].filter(Boolean).join(', '))
      return `${quantity} × ${name}: ${price(total_price)}`
    }),
    ...checkout.order_bumps.map((bump) => `${oneLine(bump.title)}: ${price(bump.price)}`),
  ]
  return {
    to: checkout.customer_email!,
    subject: say('subject', { store }),
    text: [
      name ? say('hello', { name }) : say('hi'),
      '',
      say('left', { store }),
      ...bought.map((line) => `  ${line}`),
      say('total', { total: price(Number(checkout.total)) }),
      '',
      say('back'),
      recoveryUrl(baseUrl, slug, token),
      '',
      store,
      '',
      say('no_more', { store }),
      unsubscribe,
      '',
    ].join('\n'),
    headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}

/** Anybody can type anything for somebody else's address: what is no name, e.g. a link, is not sent. */
function nameIn(typed: string | null): string | null {
  const name = oneLine(typed ?? '')
  return /^[\p{L}\p{M}' .-]{1,60}$/u.test(name) && !/\.\S/.test(name) ? name : null
}

/** What people typed stays in its line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
