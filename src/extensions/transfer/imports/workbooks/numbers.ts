// The text of a number in a workbook: all of its digits, as a date if its format is one, and with the zeros in front
// that people see.
import { Decimal } from '../../../../kit/values/money.ts'

export type NumberFormat = 'plain' | 'date' | 'percent' | { digits: number }

const dayMs = 86_400_000
/** The formats that a workbook does not spell out. */
const builtInDates: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
]

export function readFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) {
    if (builtInDates.some(([first, last]) => id >= first && id <= last)) return 'date'
    return id === 9 || id === 10 ? 'percent' : 'plain'
  }
  const [positive = ''] = stripLiterals(code).split(';')
  if (/[ymdhs]/i.test(positive) && !/general/i.test(positive)) return 'date'
  if (positive.includes('%')) return 'percent'
  return /^0{2,}$/.test(positive) ? { digits: positive.length } : 'plain'
}

/** Colors, conditions, quoted texts and escaped signs say nothing of the number; elapsed time such as `[h]` does. */
function stripLiterals(code: string): string {
  let plain = ''
  for (let at = 0; at < code.length; at++) {
    const sign = code[at]!
    const end = sign === '"' ? code.indexOf('"', at + 1) : sign === '[' ? code.indexOf(']', at) : -1
    if (end !== -1) {
      if (/^\[[hms]/i.test(code.slice(at, at + 2)) && end - at < 4) plain += 'h'
      at = end
    } else if ('\\_*'.includes(sign)) at++
    else plain += sign
  }
  return plain
}

export function formatNumber(text: string, format: NumberFormat, is1904: boolean): string {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) return text
  if (format === 'date') return formatDate(number, is1904)
  // Programs store 15 digits, and 19.899999999999999 for 19.9. A longer code is another program's own.
  const digits = /^-?\d{1,20}$/.test(text) ? text : new Decimal(Number(number.toPrecision(15))).toFixed()
  if (format === 'percent') return `${new Decimal(digits).times(100).toFixed()}%`
  return format === 'plain' ? digits : digits.padStart(format.digits, '0')
}

/** Days since 1900, whose February has a 29th day there, or since 1904. */
function formatDate(serial: number, is1904: boolean): string {
  const days = is1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  const date = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000)
  if (Number.isNaN(date.getTime()) || serial < 0) return String(serial)
  const [day, time] = date.toISOString().slice(0, 19).split('T') as [string, string]
  if (serial < 1 && serial > 0) return time
  return date.getTime() % dayMs === 0 ? day : `${day} ${time}`
}
