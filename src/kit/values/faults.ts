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

  // A request as a whole
  not_json_object:       'must be a JSON object',
  unreadable:            'cannot be read',
  key_used_before:       'was used before for another request',
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
export function sentenceOf({ text, values }: Pick<Reason, 'text' | 'values'>): string {
  return fillIn(text, values)
}
