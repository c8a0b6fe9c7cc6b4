// Remarks on rows and columns beside the faults of the API: codes with their sentences in English, which the dashboard
// has in its languages.
import type { ApiError } from '../../../kit/values/errors.ts'
import { formatReason, reason, sentences } from '../../../kit/values/faults.ts'
import type { Fault, FaultValue, Filling, Sentence } from '../../../kit/values/faults.ts'

// prettier-ignore
export const rowNotes = sentences({
  exists:                'A record with the same {by} already exists: {value}',
  appears_twice:         '{value} is already on line {line}',
  unchanged:             'Nothing has changed',
  too_wide:
    'The row has more cells than the header. Put quotes around texts with commas, and name every column',
  changed_since:         'It was edited since, so it was not changed',
  shortened_code:        'A spreadsheet has shortened this number. Export it as text, and import it again',
  formula_error:         'A formula of the spreadsheet has an error here. Mend it, and import the file again',
  sale_dates_unread:     'The dates of the sale cannot be read ({starts} – {ends}): the regular price is imported',
  sale_ended:            'The sale ended on {ends}: the regular price is imported',
  sale_not_begun:        'The sale begins on {starts}: the regular price is imported',
  sale_ends:             'The sale ends on {ends}: the sale price stays until you change it',
  any_option:            'It is for any value of an option: shoppers cannot choose it',
  other_categories:      'Only {category} is its category here. The others are collections: {names}',
  image_without_url:     'An image without a whole URL is left out',
  too_many_images:       'Only the first {limit} images of a product are imported',
  number_taken:          'Another order has the number {number}: it gets the next one',
  not_for_sale:          'It was not for sale there: it is imported with a stock of 0',
  stock_below_zero:      'A stock of {stock} is imported as 0',
  stock_unknown:         'The file does not say how many there are: its stock is not tracked. Import the stock too',
  edit_removed:          'An edit of the order removed {amount}: it is part of the discount',
  beyond_items:          '{amount} more than the items of the file: a line says so',
  uses_left:             '{used} of {limit} uses were already redeemed: the limit is set to the {rest} that are left',
  uses_over:             'All {limit} uses are used up: the discount is imported inactive',

  // Of sources
  gift_card:             'Gift cards are not products here: it is imported as a draft',
  untaxed:               'It was sold tax-free; here, taxes apply as usual',
  market_price:          'A price of another market: this store has one price',
  limited_to_goods:
    'Limited to some products or collections, which the file does not name: it is imported inactive',
  limited_to_customers:  'Limited to some customers, which the file does not name: it is imported inactive',
  new_count:             'A new count that is not applied yet is not imported',
  other_type:            'This kind of product is not sold here as it was there: it is imported as a draft',
  tax_rate:              'It has a tax rate of its own there; here, taxes apply as to any product',
  tax_class:             'Its tax class is not imported',
  sold_individually:     'Sold one per order there; here, any quantity can be ordered',
  store_view:            'Texts of another store view are not imported',
  minimum_quantity:      'A minimum quantity is not imported',
  maximum_quantity:      'A maximum quantity is not imported',
  custom_options:        'Options of its own, which can have prices, are not imported',
  price_rule:            'A rule that changes prices or options is not imported: the product is a draft',
  shipping_cost:         'A shipping cost of its own is not imported',
  free_shipping:         'Its free shipping is not imported',
  discounted:            'Its discount is not imported, so the full price applies',
  services:              'Downloads are imported without their files, and gift cards as ordinary products',
  memberships:           'Services, downloads, memberships and gift cards are imported as ordinary products',
  not_orderable:         'It cannot be ordered there: it is a draft',
  other_price:           'A price of another currency or region: this store has one price',
  not_discountable:      'Discounts do not apply to it there; here they do',
  location_price:        'A price of one location: this store has one price',
  modifiers:             'Modifiers are not imported',
  location_tax:          'Sold without this tax there; here, taxes apply as to any product',
  variations:            'The file has no prices and stock of variations: it is imported as a draft without them',
})
export type RowNote = keyof typeof rowNotes

// prettier-ignore
export const columnNotes = sentences({
  unknown_column: 'This column is not known, and is left out. If it matters, choose its field',
  kilograms:      'Weights have no unit in the file: they are read as kilograms',
  grams:          'Weights without a unit are read as grams',
  tax_excluded:
    'These prices are without tax, and those of the store include it. They stay as they are, unless you convert them',
  tax_included:
    'These prices include tax, and those of the store are without it. They stay as they are, unless you convert them',
  tax_unknown:
    'The file does not say whether these prices include tax. They stay as they are, unless you convert them',
  tax_added:      "The store's tax rate is added to these prices",
  tax_removed:    "The store's tax rate is taken out of these prices",
  prices_kept:    'These prices are imported as they are',
})
export type ColumnNote = keyof typeof columnNotes

/** `column`: null, the row as a whole. */
export type RowMessage = {
  number: number
  column: string | null
  /** The field of a fault. */
  field: string | null
  code: string
  values: Record<string, FaultValue>
  /** In English. */
  message: string
}

type RowPlace = Pick<RowMessage, 'number' | 'column'>

/** The sentence of a source's note; imports of a previous version have the sentence itself in its place. */
export function findRowNote(note: RowNote): Sentence {
  return Object.hasOwn(rowNotes, note) ? rowNotes[note] : { code: 'note', text: note }
}

/** A remark on a row. */
export function remark<S extends Sentence>(
  { number, column }: RowPlace,
  sentence: S,
  ...filling: Filling<S>
): RowMessage {
  const { code, values, text } = reason(sentence, ...filling)
  return { number, column, field: null, code, values, message: formatReason({ text, values }) }
}

/** A fault of a field, whose rows and elements have no number: the same of several is one cause. */
export function remarkFault({ number, column }: RowPlace, { field, code, values, text }: Fault): RowMessage {
  const message = `${field} ${formatReason({ text, values })}`
  return { number, column, field: field.replaceAll(/\.\d+(?=\.|$)/g, ''), code, values, message }
}

/** Why the API refuses the record; a refusal without faults has the code of its error. */
export function remarkError(place: RowPlace, { faults, code, values, message }: ApiError): RowMessage[] {
  if (faults.length > 0) return faults.map((fault) => remarkFault(place, fault))
  return [{ ...place, field: null, code, values, message }]
}
