// What is wrong with a field is a code and the values that it names. Words are made where it is said: in English here,
// for whoever calls the API; pages have their own, in the languages of shoppers and merchants.
import { filled } from './language.ts'

// Each completes "<field> …".
// prettier-ignore
const sentences = {
  required:              'is required',
  unknown_field:         'is not a known field',
  read_only:             'is read-only',
  wrong_type:            'must be {type}',
  not_one_of:            'must be one of {choices}',
  not_above:             'must be greater than {limit}',
  not_above_in_currency: 'must be greater than {limit} in the smallest unit of {currency}',
  too_small:             'must be at least {limit}',
  too_large:             'must be at most {limit}',
  zero:                  'must not be 0',
  empty:                 'must not be empty',
  blank:                 'must not be blank',
  too_short:             'must have at least {limit} characters',
  too_long:              'must have at most {limit} characters',
  too_long_as_json:      'must have at most {limit} characters as JSON',
  too_precise:           'must have at most {limit} decimals',
  no_element:            'must have at least 1 element',
  too_few_elements:      'must have at least {limit} elements',
  too_many_elements:     'must have at most {limit} elements',
  repeated_element:      'must not repeat an element: {first} and {second} are the same',
  wrong_form:            'must match {pattern}',
  wrong_format:          'must be a valid {format}',
  no_accepted_form:      'has none of the accepted forms',
  invalid:               'is invalid',
  no_digits:             'must have digits',
  no_currency:           'must be an ISO 4217 code in capitals, e.g. USD',
  no_country:            'must be an ISO 3166-1 alpha-2 code in capitals, e.g. MX',
  no_province:           'is not a state or province of {country}',
  no_postal_code:        'is not a postal code of {country}, such as {example}',
  no_timezone:           'must be an IANA time zone, e.g. America/Mexico_City',
  no_uuid:               'must be a UUID',
  no_web_address:        'must be an http or https URL',
  no_date_time:          'must be an ISO 8601 date-time with an offset',
  no_moment:             'must be a date, or a date-time with an offset',
  year_out_of_range:     'must be a date-time between the years 1 and 9999',
  has_nul:               'must not contain the NUL character',
  not_well_formed:       'must be well-formed Unicode',
  name_not_well_formed:  'has a field whose name is not well-formed',
  too_deep:              'must not be nested deeper than {limit} levels',
  more_faults:           'has {count} more faults',
  does_not_exist:        'does not exist',
  one_too_many:          'is one too many: {owner} has at most {limit} {things}',
  one_too_many_a_day:    'is one too many: at most {limit} a day',
  too_many_emails:       'is one too many: this address already got {limit} emails in {hours} hours',

  // A request as a whole
  not_json:              'is not valid JSON in UTF-8',
  not_json_object:       'must be a JSON object',
  wrong_content_type:    'must be sent with Content-Type: application/json',
  not_form:              'is not a readable multipart/form-data form',
  wrong_content_length:  'does not have the length that Content-Length announces',
  unreadable:            'cannot be read',
  wrong_key_length:      'must have 1 to {limit} characters',
  key_used_before:       'was used before for another request',

  // Stores and what they offer
  name_required:         'is required for a code that is not built in',
  price_required:        'is required unless a product is given',
  variant_required:      'is required: the product has variants',
  variant_foreign:       'is no variant of the product',
  takes_no_tax:          'takes no tax ({why}): the rate must be 0',
  name_repeated:         'must not be the name of another one',
  too_much_tax:          'must come to at most {limit} percent together',
  not_sum_of_components: 'must be left out, or what the components come to together: {sum}',
  domain_unreachable:    'cannot be looked up now ({failure})',
  domain_unproven:       'has no TXT record {value} at {name}',
  domain_foreign:        'is not the domain of the store: change the store first',

  no_hours:              'must be two hours, e.g. 9-18',
  no_hours_between:      'must not begin and end at the same hour',
  no_language:           'is no language of shops: those are {choices}',
  too_faint:             'has a contrast of only {ratio} with the {palette} pages, not {limit}: {better} would do',
  no_link:               'must be a path of the shop that begins with /, or begin with https://, mailto: or tel:',

  // The catalogue and its stock
  option_repeated:       'is the title of another option',
  value_repeated:        'must not repeat a value',
  options_incomplete:    'must name each option once: {titles}',
  value_unknown:         'has {value}, which is no value of {option}',
  combination_taken:     'is the combination of another variant',
  below_zero_product:    'must not be below zero unless the product continues selling',
  below_zero_variant:    'must not be below zero unless the variant continues selling when out of stock',
  stock_below_zero:      'must not take the stock below zero: there are {count}',
  no_longer:             'is no longer so: it is {now} now',
  stock_above_limit:     'must not take the stock above {limit}: there are {count}',

  // Pictures
  file_required:         'is required, or a url',
  file_too_large:        'must have at most {limit} bytes',
  no_room:               'does not fit: the pictures of a store may take {limit} MB',
  no_picture:            'must be a whole JPEG, PNG, WebP, GIF or AVIF',
  too_many_pixels:       'must have at most {limit} pixels',
  wrong_sides:           'must be {least} to {most} pixels wide and high',
  cannot_be_fetched:     'cannot be fetched ({failure})',
  no_such_write:         'is no operation under /v1 that writes with this method',
  not_proposable:        'cannot be proposed: it takes a file or a secret, or is about proposals',
  too_large_to_propose:  'comes to more than {limit} bytes with all that it would do',
  not_rehearsed:         'is not fetched in a rehearsal: send the file',
  receiver_not_asked:    'cannot be dry-run: the receiver is asked, or there is nothing to tell',
  command_not_rehearsed: 'is not for this command: it {why}',

  // Discounts
  percentage_range:      'must be greater than 0 and at most 100 for percentage',
  amount_range:          'must be greater than 0 in the smallest unit of {currency} for fixed_amount',
  free_shipping_range:   'must be 0 for free_shipping',
  ends_before_start:     'must be after starts_at',
  code_unknown:          'does not exist',
  code_expired:          'has expired',
  code_inactive:         'is switched off',
  code_early:            'is not valid yet',
  code_used_up:          'has been used up',
  code_minimum:          'needs an order of at least {price}',
  code_not_applicable:   'does not apply to these items',
  code_too_often:        'was tried too often: wait some minutes',

  // Orders
  product_required:      'is required with variant_id',
  line_incomplete:       'is required without product_id',
  not_for_sale:          'is {status}, not for sale',
  sold_out:              'is sold out: 0 left',
  only_left:             'is more than there are: {count} left',
  more_than_left:        'is more than there are',
  too_valuable:          'must not come to more than {limit}',
  above_subtotal:        'must be at most the subtotal, {subtotal}',
  foreign_currency:      "must be {currency}, the store's currency",
  unknown_statuses:      'must be all, or some of {choices}, with commas between',
  not_an_early_status:   'must be one of {choices} in a new order',
  status_is_final:       'cannot change any more: {from} is final',
  status_not_next:       'cannot become {to}: from {from} only {choices}',
  nothing_sent_when:     'is {status}: nothing of the order is sent any more',
  pieces_came_back:      'cannot become cancelled: pieces of it have come back',
  nothing_left:          'has nothing that is left',
  nothing_paid:          'has nothing to come from: nothing that was paid is left',
  costs_nothing:         'is 0: these have cost nothing',
  more_than_payment:     'must be at most {limit}, which is what one payment has; several refunds can give back more',
  refund_under_way:      'cannot change while a refund is under way',
  capture_under_way:     'cannot change while a capture is under way',
  nothing_held:          'has nothing to come from: nothing is held for the order',
  hold_asked_for:        'was asked for already, and the provider has not answered yet',
  not_cancelled:         'needs the status cancelled or returned',

  // Mail
  placeholder_unknown:   'may only name {choices} in braces, not "{name}"',

  // Checkouts
  cart_empty:            'must have at least 1 element',
  contact_required:      'is required, or a phone',
  contact_must_stay:     'must stay, or a phone must be given',
  not_a_quantity:        'must be a quantity',
  not_offered:           'is not offered',
  no_tax_id:             'is no tax number of {country}',
  not_with_rate:         'is not offered with {rate}',
  does_not_ship:         'does not ship to {country}',
  no_shipping_there:     'does not ship there',
  declined:              'was declined',
  provider_refused:      'cannot be paid by now: choose another',
  test_payments_off:     'takes no money: set test_payments of the store first',
  below_minimum:         'needs an order of at least {price} {currency}: choose another',
  provider_away:         'cannot be paid by now: the provider does not answer',
  money_returned:        'was paid, but what was bought cannot be had any more: the money goes back',
  changed:               'has changed from {from} to {to}',
  total_is:              'is {to}',

  // Webhooks
  url_too_long:          'must be at most {limit} characters long',
  not_https:             'must start with https://',
  url_has_spaces:        'must not contain spaces, control characters or backslashes',
  url_has_credentials:   'must not contain a user name or password',
  url_has_fragment:      'must not contain a fragment',
  no_url:                'must be a valid URL',
  not_public:
    'must be an address on the public internet (an operator may allow networks in WEBHOOK_ALLOWED_NETWORKS)',
  ends_before_from:      'must not be before from',
  event_foreign:         'is not an event of this webhook',
  events_unknown:        'must be some of {choices}, with commas between',
  ahead_of_log:          'is ahead of the log, whose newest number is {limit}',
  either_window:         'must not be given with from_sequence',
  needs_sequence:        'needs from_sequence',
  window_too_full:       'closes a window of {count} events, but at most {limit} can be replayed at once',

  // Apps
  no_host:               '{name} is no name of a host',
  no_list:               'must be a list',
  no_list_of_addresses:  'must be a list of 1 to {limit} addresses',
  no_list_of_texts:      'must be a list of at most {limit} texts',
  no_text:               'must be a text of at most {limit} characters',
  no_absolute_address:   'must only contain absolute addresses',
  no_redirect_address:   'must be https, or http on localhost, 127.0.0.1 or [::1]',
  steers_text:           'must not contain control characters or turn the text around',
  mixes_scripts:         'must not mix Latin, Cyrillic and Greek letters in one word',
  has_credentials:       'must not contain credentials',
  has_fragments:         'must not contain fragments',
  no_host_named:         'must name a host',
  scope_unknown:         'must only contain known scopes, not {scope}',

  // Passwords
  password_length:       'must have {least} to {most} characters',
  password_common:       'is one of the 100,000 most common passwords',
  password_repeated:     'repeats the same few characters',
  password_personal:     'must not be made of the e-mail or the name of the store',

  code_wrong:            'is not the code that the app shows now, or was used already',
  passkey_wrong:         'is not the answer of a passkey to what was asked',

  // The command line
  scopes_unknown:        '{unknown}: unknown. Known: all, {choices}',
  no_number_between:     'must be a number from {least} to {most}',
} as const

export type FaultCode = keyof typeof sentences
export type Value = string | number

type NamesIn<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type NamesOf<C extends FaultCode> = NamesIn<(typeof sentences)[C]>
export type Filling<C extends FaultCode> = [NamesOf<C>] extends [never] ? [] : [values: Record<NamesOf<C>, Value>]

/** Why a value is refused. */
export type Reason = { code: FaultCode; values: Record<string, Value> }

/** `field` in dot notation: where the value stands in what was sent. */
export type Fault = Reason & { field: string }

export function reason<C extends FaultCode>(code: C, ...[values]: Filling<C>): Reason {
  return { code, values: values ?? {} }
}

export function fault<C extends FaultCode>(field: string, code: C, ...filling: Filling<C>): Fault {
  return { field, ...reason(code, ...filling) }
}

/** It completes "<field> …". */
export function sentenceOf({ code, values }: Reason): string {
  return filled(sentences[code], values)
}

export const faultCodes = Object.keys(sentences) as FaultCode[]
