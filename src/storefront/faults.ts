// What is wrong, in the shopper's words. The operations say it in English, in the terms of the API.
import type { Fault } from '../kit/errors.ts'
import type { Visit } from './page.ts'
import type { Word } from './words.ts'

type Wording = { field: RegExp; message: RegExp; word: Word }

const wordings: Wording[] = [
  { field: /^items\.\d+\.quantity$/,          message: /^is sold out/,              word: 'sold_out' },
  { field: /^items\.\d+\.quantity$/,          message: /^is more than there are: (?<count>\d+)/, word: 'only_left' },
  { field: /^items\.\d+\.quantity$/,          message: /must be a quantity/,        word: 'quantity_wrong' },
  { field: /^items\.\d+\.quantity$/,          message: /./,                         word: 'quantity_too_large' },
  { field: /^items\.\d+\.unit_price$/,        message: /from (?<from>\S+) to (?<to>\S+)/, word: 'price_changed' },
  { field: /^items\.\d+\./,                   message: /./,                         word: 'not_for_sale' },
  { field: /^items$/,                         message: /./,                         word: 'cart_empty' },
  { field: /^order_bumps\.\d+$/,              message: /from (?<from>\S+) to (?<to>\S+)/, word: 'price_changed' },
  { field: /^order_bumps/,                    message: /^is sold out|^is more/,     word: 'sold_out' },
  { field: /^order_bumps/,                    message: /./,                         word: 'bump_gone' },
  { field: /^customer\.email$/,               message: /is required|must stay/,     word: 'contact_missing' },
  { field: /^customer\.email$/,               message: /./,                         word: 'email_bad' },
  { field: /^customer\.phone$/,               message: /./,                         word: 'phone_bad' },
  { field: /^customer\.name$/,                message: /is required/,               word: 'name_missing' },
  { field: /^shipping_address\.address$/,     message: /is required/,               word: 'address_missing' },
  { field: /^shipping_address\.city$/,        message: /is required/,               word: 'city_missing' },
  { field: /^shipping_address\.country_code$/, message: /does not ship/,            word: 'no_shipping_there' },
  { field: /^discount_code$/,                 message: /has expired/,               word: 'code_expired' },
  { field: /^discount_code$/,                 message: /not valid yet/,             word: 'code_early' },
  { field: /^discount_code$/,                 message: /used up/,                   word: 'code_used_up' },
  { field: /^discount_code$/,                 message: /at least (?<price>\S+)/,    word: 'code_minimum' },
  { field: /^discount_code$/,                 message: /does not apply/,            word: 'code_not_applicable' },
  { field: /^discount_code$/,                 message: /./,                         word: 'code_unknown' },
  { field: /^shipping_method$/,               message: /./,                         word: 'shipping_missing' },
  { field: /^payment_method$/,                message: /declined/,                  word: 'payment_declined' },
  { field: /^payment_method$/,                message: /./,                         word: 'payment_missing' },
  { field: /^discount$/,                      message: /from (?<from>\S+) to (?<to>\S+)/, word: 'discount_changed' },
  { field: /^shipping$/,                      message: /from (?<from>\S+) to (?<to>\S+)/, word: 'shipping_changed' },
  { field: /^tax$/,                           message: /from (?<from>\S+) to (?<to>\S+)/, word: 'tax_changed' },
  { field: /^total$/,                         message: /(?:from (?<from>\S+) to|^is) (?<to>[\d.]+)$/, word: 'total_changed' },
  { field: /./,                               message: /at most (?<count>\d+) characters/, word: 'too_long' },
  { field: /./,                               message: /./,                         word: 'field_bad' },
]

const amounts = new Set(['from', 'to', 'price'])

/** field → words, in the order in which they were said; the first thing said of a field stands. */
export function inWords({ say, price }: Pick<Visit, 'say' | 'price'>, faults: readonly Fault[]): Record<string, string> {
  const said: Record<string, string> = {}
  for (const { field, message } of faults) {
    if (field in said) continue
    const { word, message: form } = wordings.find((one) => one.field.test(field) && one.message.test(message))!
    const found = Object.entries(form.exec(message)?.groups ?? {}).filter(([, value]) => value !== undefined)
    said[field] = say(word, Object.fromEntries(found.map(([name, value]) => [name, amounts.has(name) ? price(value!) : value!])))
  }
  return said
}
