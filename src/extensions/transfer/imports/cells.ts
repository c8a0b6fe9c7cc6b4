// Parses a cell. A cell that cannot be read as its field requires stays text: then the API's own message reports it.
import { isStorable } from '../../../kit/declare/storable.ts'

export type CellContext = { isDecimalComma: boolean; timezone: string }

export function parseCell(text: string, type: string, context: CellContext): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return parseNumberCell(text, context) ?? text
    case 'boolean':
      return booleans.get(text.toLowerCase()) ?? text
    case 'date':
      return parseTimeCell(text)?.slice(0, 10) ?? text
    case 'date-time':
      return parseTimeCell(text) ?? text
    case 'array':
      return parseListCell(text)
    case 'texts':
      return parseTextsCell(text)
    case 'object':
      return parseObjectCell(text) ?? text
    default:
      return text
  }
}

// prettier-ignore
const truths = [
  'true', 'yes', 'y', '1', 'on', 'ja', 'wahr', 'sí', 'si', 'verdadero', 'oui', 'vrai', 'sì', 'vero', 'sim',
  'verdadeiro',
]
// prettier-ignore
const untruths = ['false', 'no', 'n', '0', 'off', 'nein', 'falsch', 'falso', 'non', 'faux', 'não', 'nao']

const booleans = new Map<string, boolean>([
  ...truths.map((word): [string, boolean] => [word, true]),
  ...untruths.map((word): [string, boolean] => [word, false]),
])

/** For a column that asks the opposite of its field. */
export const oppositeWords: Readonly<Record<string, string>> = Object.fromEntries(
  [...booleans].map(([word, value]) => [word, String(!value)]),
)

/**
 * `1,234.50`, `1.234,50`, `19,90 €`. A single comma or point followed by three digits separates thousands only if it is
 * not the file's decimal sign: files with semicolons have decimal commas.
 */
function parseNumberCell(text: string, { isDecimalComma }: Pick<CellContext, 'isDecimalComma'>): number | null {
  const plain = text.replaceAll(/[\s\u00a0'’]|\p{Sc}/gu, '')
  const bare = plain.replaceAll(/^[A-Z]{3}(?=[\d.,-])|(?<=\d)[A-Z]{3}$/g, '')
  if (!/^[-+]?[\d.,]+%?$/.test(bare)) return null
  const [comma, point] = [bare.lastIndexOf(','), bare.lastIndexOf('.')]
  const isThousands = isDecimalComma ? /^[-+]?\d{1,3}(\.\d{3})+$/ : /^[-+]?\d{1,3}(,\d{3})+$/
  const decimal = isThousands.test(bare) ? '' : comma > point ? ',' : '.'
  const [whole, ...rest] = (decimal === '' ? [bare] : bare.split(decimal)) as [string, ...string[]]
  if (rest.length > 1) return null
  const digits = `${whole.replaceAll(/[.,]/g, '')}${rest.length > 0 ? `.${rest[0]!.replace('%', '')}` : ''}`.replace(
    '%',
    '',
  )
  const number = Number(digits)
  return digits === '' || !Number.isFinite(number) ? null : number
}

/** Files with semicolons have decimal commas, unless all numbers whose decimals are certain have points. */
export function createSignReader() {
  let [points, commas] = [0, 0]
  return {
    read(cells: readonly string[]): void {
      for (const cell of cells) {
        const text = cell.length > 20 ? '' : cell.trim()
        if (!/^-?\d+[.,]\d+$/.test(text) || /[.,]\d{3}$/.test(text)) continue
        if (cell.includes('.')) points++
        else commas++
      }
    },
    arePoints: () => points > 0 && commas === 0,
  }
}

const grams: Record<string, number> = { g: 1, kg: 1000, lb: 453.59237, lbs: 453.59237, oz: 28.349523125 }

/** Whole grams; `times`: the unit of a number without one. */
export function parseWeightCell(text: string, times = 1, context: CellContext): unknown {
  const [, number = text, unit = ''] = /^(.*?\d)\s*(g|kg|lbs?|oz)$/i.exec(text) ?? []
  const value = parseNumberCell(number, context)
  return value === null ? text : Math.round(value * (grams[unit.toLowerCase()] ?? times))
}

/** ISO 8601, or `2026-01-31 10:00:00 +0100` as shops export it. A time without an offset is in UTC. */
function parseTimeCell(text: string): string | null {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/.exec(
    text.trim(),
  )
  if (!parts) return null
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = parts
  const offset = zone === 'UTC' || zone === 'Z' ? 'Z' : zone.replace(/^(.\d{2})(\d{2})$/, '$1:$2')
  const iso = `${day}T${minutes}${seconds}${offset}`
  return Number.isNaN(Date.parse(iso)) ? null : iso
}

/** A JSON array, or texts with commas between. */
export function parseListCell(text: string): unknown[] {
  if (text.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(text)
      if (Array.isArray(list) && isStorable(list))
        return list.map((one) => (typeof one === 'object' ? one : String(one)))
    } catch {}
  }
  const parts = text.split(',').map((part) => part.trim())
  return [...new Set(parts.filter((part) => part !== ''))]
}

/** The same, where each is a name or an address. */
export function parseTextsCell(text: string): string[] {
  return parseListCell(text).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
}

function parseObjectCell(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && isStorable(value) ? value : null
  } catch {
    return null
  }
}

const maxPaths = 2000

type CategorySigns = {
  /** Between a category and those below it. */
  parents?: '>' | '/'
  /** True if commas belong to the name. */
  isOne?: boolean
  /** Names of roots, in lower case, which are no categories. */
  roots?: readonly string[]
}

/** `Home > Cups, Sale`: each category with its parents. One that another leads through is not a category of its own. */
export function listCategories(
  text: string,
  { parents = '>', isOne = false, roots = [] }: CategorySigns = {},
): string[] {
  const all = isOne ? [text] : text.slice(0, maxPaths).split(parents === '>' ? /(?<!\\),/ : /[,;]/)
  const sign = parents === '>' ? /(?<!\\)>/ : parents
  const paths = all.map((path) => path.split(sign).map((part) => part.replaceAll(/\\([,>])/g, '$1').trim()))
  const keys = paths.map((path) => `${path.join('\n')}\n`)
  const ends = paths.filter((_, at) => !keys.some((other) => other !== keys[at] && other.startsWith(keys[at]!)))
  const names = ends.filter((path) => path.at(-1) !== '').map((path) => withoutRoot(path.filter(Boolean), roots))
  return [...new Set(names.map(joinCategories))]
}

function withoutRoot(path: string[], roots: readonly string[]): string[] {
  return path.length > 1 && roots.includes(path[0]!.toLowerCase()) ? path.slice(1) : path
}

// A noncharacter of Unicode: names contain commas, slashes and ends of lines, but not this.
const between = '\uffff'

/** The text of a path that is read back as it is. */
export function formatCategories(path: readonly string[]): string {
  return path.map((name) => name.replaceAll('>', String.raw`\>`)).join(' > ')
}

/** The inverse of formatCategories. */
export function parseCategories(text: string): string {
  return joinCategories(text.split(' > ').map((name) => name.replaceAll(String.raw`\>`, '>')))
}

export const joinCategories = (path: readonly string[]): string => path.join(between)

/** A category of a file as the names from the top. */
export const splitCategories = (path: string): string[] => path.split(between)

/** Its name without those above it. */
export const nameOfCategory = (path: string): string => splitCategories(path).at(-1)!
