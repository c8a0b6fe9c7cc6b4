// A fault of a field is a sentence with values. Each noun declares its own sentences in English, for callers of the
// API; pages translate them by their codes.
import { fillIn } from './language.ts'

/** Completes "<field> …"; values replace the {names}. */
export type Sentence<Code extends string = string, Text extends string = string> = { code: Code; text: Text }

/** The sentences of a noun, by their codes. */
export function sentences<const T extends Record<string, string>>(
  texts: T,
): { [Code in keyof T & string]: Sentence<Code, T[Code]> } {
  const entries = Object.entries(texts).map(([code, text]) => [code, { code, text }])
  return Object.fromEntries(entries)
}

// prettier-ignore
export const generalFaults = sentences({
  required:              'is required',
  unknown_field:         'is not a recognized field',
  read_only:             'is read-only',
  wrong_type:            'must be {type}',
  not_one_of:            'must be one of {choices}',
  not_above:             'must be greater than {limit}',
  not_above_in_currency: 'must round to more than {limit} {currency}',
  too_small:             'must be at least {limit}',
  too_large:             'must be at most {limit}',
  zero:                  'must be a non-zero number',
  empty:                 'must not be empty',
  blank:                 'must not be blank',
  too_short:             'must be at least {limit} characters long',
  too_long:              'must be at most {limit} characters long',
  too_long_as_json:      'must be at most {limit} characters long as JSON',
  too_precise:           'must have at most {limit} decimal places',
  no_element:            'must contain at least 1 item',
  too_few_elements:      'must contain at least {limit} items',
  too_many_elements:     'must contain at most {limit} items',
  repeated_element:      'must not contain duplicates: items {first} and {second} are the same',
  wrong_form:            'must match the pattern {pattern}',
  no_key:                'is not a key: 1 to 40 characters without dots, brackets and control characters',
  wrong_format:          'must be a valid {format}',
  no_accepted_form:      'does not match any accepted format',
  invalid:               'is invalid',
  no_currency:           'must be an uppercase ISO 4217 code, such as USD',
  unknown_country:       'must be the name or the ISO 3166-1 code of a country, such as Mexico or MX',
  no_country:            'must be an uppercase ISO 3166-1 alpha-2 code, such as MX',
  no_province:           'is not a state or province of {country}',
  no_postal_code:        'is not a valid postal code for {country} (example: {example})',
  no_timezone:           'must be an IANA time zone, such as America/Mexico_City',
  no_uuid:               'must be a UUID',
  no_web_address:        'must be an http or https URL',
  no_date_time:          'must be an ISO 8601 date-time with a UTC offset, such as 2026-01-31T10:00:00Z',
  no_moment:             'must be a date (2026-01-31) or a date-time with a UTC offset (2026-01-31T10:00:00Z)',
  plus_as_space:         'has a space in place of a plus sign: write + as %2B in URLs',
  year_out_of_range:     'must be a date-time between the years 1 and 9999',
  has_nul:               'must not contain NUL (U+0000)',
  not_well_formed:       'must be well-formed Unicode',
  name_not_well_formed:  'contains a field name that is not well-formed Unicode',
  too_deep:              'must not be nested deeper than {limit} levels',
  more_faults:           'has {count} more errors',
  no_cursor:             'is not a cursor of this list',
  not_with_cursor:       'cannot be combined with cursor',
  does_not_exist:        'does not exist',
  one_too_many:          'exceeds the limit: {owner} can have at most {limit} {things}',
  one_too_many_a_day:    'exceeds the limit of {limit} per day',

  // A request as a whole
  not_json_object:       'must be a JSON object',
  unreadable:            'cannot be read',
  key_used_before:       'has already been used with a different request',
})

export type FaultValue = string | number

type NamesIn<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
export type Filling<S extends Sentence> = [NamesIn<S['text']>] extends [never]
  ? []
  : [values: Record<NamesIn<S['text']>, FaultValue>]

/** The reason why a value is invalid. */
export type Reason = Sentence & { values: Record<string, FaultValue> }

/** `field` is the path of the value in the body, in dot notation. */
export type Fault = Reason & { field: string }

export function reason<S extends Sentence>({ code, text }: S, ...[values]: Filling<S>): Reason {
  return { code, text, values: values ?? {} }
}

export function fault<S extends Sentence>(field: string, sentence: S, ...filling: Filling<S>): Fault {
  return { field, ...reason(sentence, ...filling) }
}

/** Completes "<field> …". */
export function formatReason({ text, values }: Pick<Reason, 'text' | 'values'>): string {
  return fillIn(text, values)
}
