// What is wrong, in the shopper's words. The operations say it in English, in the terms of the API.
import type { Fault } from '../kit/values/errors.ts'
import type { Visit } from './page.ts'
import type { Word } from './words.ts'

const any = /./
const changed = /from (?<from>\S+) to (?<to>\S+)/

// What is said of which field → how a shopper reads it: the first row that fits.
// prettier-ignore
const wordings: [field: RegExp, message: RegExp, word: Word][] = [
  [/^items\.\d+\.quantity$/,                /^is sold out/,                                      'sold_out'],
  [/^items\.\d+\.quantity$/,                /^is more than there are: (?<count>\d+)/,            'only_left'],
  [/^items\.\d+\.quantity$/,                /must be a quantity/,                                'quantity_wrong'],
  [/^items\.\d+\.quantity$/,                any,                                                 'quantity_too_large'],
  [/^items\.\d+\.unit_price$/,              changed,                                             'price_changed'],
  [/^items\.\d+\./,                         any,                                                 'not_for_sale'],
  [/^items$/,                               any,                                                 'cart_empty'],
  [/^order_bumps\.\d+$/,                    changed,                                             'price_changed'],
  [/^order_bumps/,                          /^is sold out|^is more/,                             'sold_out'],
  [/^order_bumps/,                          any,                                                 'bump_gone'],
  [/^customer\.email$/,                     /is required|must stay/,                             'contact_missing'],
  [/^customer\.email$/,                     any,                                                 'email_bad'],
  [/^customer\.phone$/,                     any,                                                 'phone_bad'],
  [/^customer\.name$/,                      /is required/,                                       'name_missing'],
  [/^shipping_address\.address$/,           /is required/,                                       'address_missing'],
  [/^shipping_address\.city$/,              /is required/,                                       'city_missing'],
  [/^shipping_address\.country_code$/,      /does not ship/,                                     'no_shipping_there'],
  [/^discount_code$/,                       /too often/,                                         'code_too_often'],
  [/^discount_code$/,                       /has expired/,                                       'code_expired'],
  [/^discount_code$/,                       /not valid yet/,                                     'code_early'],
  [/^discount_code$/,                       /used up/,                                           'code_used_up'],
  [/^discount_code$/,                       /at least (?<price>\S+)/,                            'code_minimum'],
  [/^discount_code$/,                       /does not apply/,                                    'code_not_applicable'],
  [/^discount_code$/,                       any,                                                 'code_unknown'],
  [/^shipping_method$/,                     any,                                                 'shipping_missing'],
  [/^payment_method$/,                      /declined/,                                          'payment_declined'],
  [/^payment_method$/,                      any,                                                 'payment_missing'],
  [/^discount$/,                            changed,                                             'discount_changed'],
  [/^shipping$/,                            changed,                                             'shipping_changed'],
  [/^tax$/,                                 changed,                                             'tax_changed'],
  [/^total$/,                               /(?:from (?<from>\S+) to|^is) (?<to>[\d.]+)$/,       'total_changed'],
  [any,                                     /at most (?<count>\d+) characters/,                  'too_long'],
  [any,                                     any,                                                 'field_bad'],
]

const amounts = new Set(['from', 'to', 'price'])

/** field → words, in the order in which they were said; the first thing said of a field stands. */
export function inWords(speaking: Pick<Visit, 'say' | 'price'>, faults: readonly Fault[]): Record<string, string> {
  const said: Record<string, string> = {}
  for (const fault of faults) said[fault.field] ??= wordsOf(speaking, fault)
  return said
}

function wordsOf({ say, price }: Pick<Visit, 'say' | 'price'>, { field, message }: Fault): string {
  const [, form, word] = wordings.find(([ofField, ofMessage]) => ofField.test(field) && ofMessage.test(message))!
  const found = Object.entries(form.exec(message)?.groups ?? {}).filter(([, value]) => value !== undefined)
  return say(word, Object.fromEntries(found.map(([name, value]) => [name, amounts.has(name) ? price(value) : value])))
}
