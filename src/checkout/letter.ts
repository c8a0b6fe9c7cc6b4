// The recovery mail: what was left, the way back to it, and the way out of such mail (RFC 8058).
import { priceIn } from '../kit/values/prices.ts'
import { speaks } from '../languages/words.ts'
import type { Letter } from '../platform/outbound/mail.ts'
import type { CheckoutRow } from './checkout.ts'

/** What it says of the store. */
export type LetterFacts = {
  store_name: string
  storefront_url: string
  country_code: string
  reply_to_email: string | null
}

const sayIn = speaks('letters')

export function letterOf(
  { store_name, storefront_url, country_code, reply_to_email, ...checkout }: LetterFacts & CheckoutRow,
  token: string,
): Letter {
  const say = sayIn(checkout.locale)
  const store = oneLine(store_name),
    name = nameIn(checkout.customer_name)
  const price = priceIn(checkout.locale, { currency: checkout.currency, country_code })
  // Of the store's own domain, and open in the language of the letter.
  const [back, unsubscribe] = ['recover', 'unsubscribe'].map(
    (path) => `${storefront_url}/${path}/${token}?lang=${checkout.locale}`,
  ) as [string, string]
  const bought = [
    ...checkout.items.map(({ quantity, product_name, variant_name, total_price }) => {
      const name = oneLine([product_name, variant_name].filter(Boolean).join(', '))
      return `${quantity} × ${name}: ${price(total_price)}`
    }),
    ...checkout.order_bumps.map((bump) => `${oneLine(bump.title)}: ${price(bump.price)}`),
  ]
  return {
    to: checkout.customer_email!,
    fromName: store,
    replyTo: reply_to_email,
    subject: say('recovery_subject', { store }),
    text: [
      name ? say('hello', { name }) : say('hi'),
      '',
      say('recovery_left', { store }),
      ...bought.map((line) => `  ${line}`),
      say('recovery_total', { total: price(Number(checkout.total)) }),
      '',
      say('recovery_back'),
      back,
      '',
      store,
      '',
      say('recovery_no_more', { store }),
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
