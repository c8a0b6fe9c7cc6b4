// Fields of one value: texts, numbers, money, times, ids.
import { maxEmailLength, withAsciiDomain } from '../values/emails.ts'
import { toIsoTimestamp, plain, verbatim } from '../values/columntext.ts'
import { reason, generalFaults } from '../values/faults.ts'
import { isUuid, publicId, toUuid, type Prefix } from '../values/ids.ts'
import { getCurrencyExponent, maxMoney, round, toNumber } from '../values/money.ts'
import { visibleText } from '../values/names.ts'
import { field, type JsonSchema } from './field.ts'
import { invalidValue } from './invalidvalue.ts'

/** A string, kept as it was sent. Lengths are in UTF-16 units. */
export function text(limits: { min?: number; max?: number; pattern?: string; format?: string } = {}) {
  const { min = 0, max = 255, ...rest } = limits
  return field<string>({
    schema: { type: 'string', ...(min ? { minLength: min } : {}), maxLength: max, ...rest },
  }).rule((value) => (min > 0 && visibleText(value).trim() === '' ? reason(generalFaults.blank) : null))
}

export function choice<const V extends string>(values: readonly V[]) {
  return field<V>({ schema: { type: 'string', enum: values }, write: plain })
}

export function integer(limits: { min?: number; max?: number } = {}) {
  const { min = -2_147_483_648, max = 2_147_483_647 } = limits
  return field<number>({ schema: { type: 'integer', minimum: min, maximum: max }, write: verbatim, value: Number })
}

export function decimal(limits: { min?: number; max?: number; above?: number } = {}) {
  return field<number, string>({
    schema: { type: 'number', ...bounds(limits) },
    write: verbatim,
    value: Number,
    read: zeroUnsigned,
  })
}

/** Decimal major units, rounded half-up to the store's currency when read; with `exact`, more decimals are refused. */
export function money(limits: { min?: number; max?: number; above?: number; exact?: boolean } = {}) {
  const range = bounds(limits.above === undefined ? { min: 0, ...limits } : limits)
  return field<number, string>({
    schema: { type: 'number', maximum: maxMoney, ...range },
    write: verbatim,
    value: Number,
    read: (value: number, { currency }) => {
      const roundedValue = toNumber(round(value, currency))
      if (limits.exact && roundedValue !== value)
        return invalidValue(generalFaults.too_precise, { limit: getCurrencyExponent(currency) })
      const tooSmall = limits.above !== undefined && roundedValue <= limits.above
      if (!tooSmall) return zeroUnsigned(roundedValue)
      return invalidValue(generalFaults.not_above_in_currency, { limit: limits.above!, currency })
    },
  })
}

export function flag() {
  return field<boolean>({
    schema: { type: 'boolean' },
    write: (bit) => (isTrue(bit) ? 'true' : 'false'),
    value: isTrue,
  })
}

/** PostgreSQL sends `t`, and casts to `true`. */
function isTrue(bit: string): boolean {
  return bit.startsWith('t')
}

/** An ISO 8601 date-time with an offset; in the database timestamptz(3). */
export function time() {
  return field<Date>({
    schema: { type: 'string', format: 'date-time', maxLength: 64 },
    write: (stamp) => `"${toIsoTimestamp(stamp)}"`,
    value: (stamp) => new Date(toIsoTimestamp(stamp)),
    read: (value: string) => {
      // RFC 3339 §5.6: an hour is 23 at most. JavaScript takes the 24th for the next day.
      if (/^\S{10}[T ]24/i.test(value)) return invalidValue(generalFaults.no_date_time)
      const instant = new Date(value)
      const year = instant.getUTCFullYear()
      return year >= 1 && year <= 9999 ? instant : invalidValue(generalFaults.year_out_of_range)
    },
  })
}

/** A public id; operations and the database work with its uuid. */
export function id(prefix: Prefix) {
  return field<string>({
    schema: { type: 'string', maxLength: 64, examples: [publicId(prefix, '01912d68-783e-7a03-8467-5661c1243ad4')] },
    prefix,
    columnType: 'uuid',
    write: (uuid) => `"${publicId(prefix, uuid)}"`,
    value: (uuid) => publicId(prefix, uuid),
    read: (value: string) => toUuid(prefix, value) ?? invalidValue(generalFaults.does_not_exist),
  })
}

export function uuid() {
  return field<string>({
    schema: { type: 'string', maxLength: 64, examples: ['01912d68-783e-7a03-8467-5661c1243ad4'] },
    columnType: 'uuid',
    write: plain,
    read: (value: string) => (isUuid(value) ? value.toLowerCase() : invalidValue(generalFaults.no_uuid)),
  })
}

/** An absolute http or https address. */
export function url(limits: { max?: number } = {}) {
  return text({ min: 1, max: limits.max ?? 2048 }).rule((value) =>
    /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value) ? null : reason(generalFaults.no_web_address),
  )
}

/** An international domain is kept in ASCII. */
export function email() {
  return text({ max: maxEmailLength, format: 'email' }).becomes(withAsciiDomain)
}

function bounds({ min, max, above }: { min?: number; max?: number; above?: number }): JsonSchema {
  return {
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }
}

function zeroUnsigned(value: number): number {
  return value === 0 ? 0 : value
}
