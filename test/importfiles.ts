// Random files for imports: what shop systems, spreadsheets and strangers send, right and wrong.
import { sourceColumns, type ImportKind } from './importcolumns.ts'
import type { randomBy } from './random.ts'

type Random = ReturnType<typeof randomBy>

export type RandomFile = {
  bytes: Buffer
  fields: Record<string, string>
  /** How many rows it has; null: who reads it may not be able to say. */
  rows: number | null
}

const kinds: ImportKind[] = ['products', 'products', 'customers', 'orders', 'discounts', 'redirects']
const mebibyte = 2 ** 20

export function randomFile(random: Random): RandomFile {
  const kind = random.pick(kinds)
  // Most files are in order but for some of their cells: what is wrong with the others hides what comes after.
  const isCareful = random.below(3) > 0
  const { required, others } = random.pick(sourceColumns(kind))
  const columns = [
    ...required,
    ...others.filter((name) => !required.includes(name) && random.below(isCareful ? 3 : 2) === 0),
  ]
  if (!isCareful) addStrangeColumns(random, columns)
  const count = 1 + random.below(15)
  const strangeness = isCareful ? 40 : 8
  const rows = Array.from({ length: count }, (_, n) =>
    columns.map((name) => cellOf(random, kind, name, n, strangeness)),
  )
  if (count > 0 && random.below(12) === 0) {
    rows[random.below(count)]![random.below(columns.length)] = longText(random)
  }
  const fields: Record<string, string> = { kind, on_duplicate: random.pick(['skip', 'update', 'reject']) }
  return random.below(5) === 0
    ? { ...jsonl(random, columns, rows), fields }
    : { ...encoded(random, csv(random, columns, rows), count, fields, isCareful), fields }
}

function addStrangeColumns(random: Random, columns: string[]): void {
  const strange = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'Notes to self',
    '日本語',
    '=1+1',
    'x'.repeat(2000),
  ]
  if (random.below(4) === 0) columns.push(random.pick(strange))
  if (random.below(25) === 0) columns.push(columns[0] ?? 'name')
  if (random.below(25) === 0) columns.push('')
  if (random.below(25) === 0) columns.push(...Array.from({ length: random.pick([100, 300]) }, (_, n) => `Extra ${n}`))
  if (random.below(10) === 0) columns.splice(random.below(columns.length), 1)
}

const meanings: [RegExp, (random: Random, n: number, kind: ImportKind) => string][] = [
  [/^(Handle|slug|Product Handle|Permalink)$/, (random, n) => `thing-${random.below(4) === 0 ? random.below(9) : n}`],
  [/^(path|Redirect from)$/, (random, n) => random.pick([`/Old/${n}`, `/old/${n}/`, '/?p=7', 'https://old.example/a'])],
  [
    /^(target|Redirect to)$/,
    (random) => random.pick(['/', '/old/1', '/products/a?b=c', '//evil.example', 'https://a.example']),
  ],
  [/sku/i, (random, n) => `SKU-${random.below(5) === 0 ? random.below(9) : n}`],
  [/email$/i, (random, n) => `buyer${random.below(4) === 0 ? random.below(5) : n}@example.com`],
  [/phone/i, (random) => random.pick(['+49 30 1234567', '+52 55 1234 5678', '5512345678', "'+34 600", ''])],
  [
    /^(order_number|code|Name)$/,
    (random, n, kind) => (kind === 'orders' ? '#100' : 'SAVE') + (random.below(6) === 0 ? random.below(5) : n),
  ],
  [
    /^(is_|accepts|Accepts|tax_exempt|Tax Exempt|continue_|track_|fast_|once_|applies_|Published|Backorders)/,
    (random) => random.pick(['true', 'no', '1', '']),
  ],
  [/requires.shipping|shipping.required|^virtual/i, (random) => random.pick(['true', 'no', '1', ''])],
  [/image|thumbnail|url/i, (random) => random.pick(random.below(3) === 0 ? images : ['', 'https://localhost/1.png'])],
  [/html|description/i, (random) => random.pick(['<p>A <b>mug</b></p>', 'Plain', '<ul><li>1</li></ul>', '&amp;'])],
  [/^(Value Type|type)$/, (random) => random.pick(['percentage', 'fixed_amount', 'free_shipping'])],
  [/^row_type$/, (random, _, kind) => random.pick([kind.slice(0, -1), 'variant', 'image'])],
  [/^(publish_at|unpublish_at|locale|hs_code|customer_id|channel|agent)$/, () => ''],
  [/^(custom_fields|addresses|combines_with|options)$/, () => ''],
  [
    /price|total|amount|cost|taxes|^Shipping$|^value$|^Value$/i,
    (random) => random.pick(random.below(4) === 0 ? numbers : ['9.99', '10', '12.50']),
  ],
  [
    /stock|qty|quantity|uses|limit|grams|weight|threshold|months|max_/i,
    (random) => random.pick(random.below(6) === 0 ? ['-2', '1.5', '1 000', 'many'] : ['1', '3', '12']),
  ],
  [
    /date| at$|_at$|^Start$|^End$/i,
    (random) => random.pick(random.below(4) === 0 ? dates : ['2026-01-31T10:00:00Z', '']),
  ],
  [/country/i, (random) => random.pick(['US', 'Germany', 'de', ''])],
  [/payment_status|Financial/, (random) => random.pick(['paid', 'pending'])],
  [/fulfillment.status/i, (random) => random.pick(['fulfilled', 'unfulfilled', ''])],
  [/order_status/, (random) => random.pick(['completed', 'confirmed', ''])],
  [/status/i, (random) => random.pick(['active', 'draft', ''])],
  [/^(Type|Archived)$/, (random) => random.pick(['variable', 'variation', 'simple', 'simple, virtual', ''])],
  [/categor/i, (random) => random.pick(['Mugs', 'Kitchen > Mugs', 'Mugs > Mugs', 'A, B > C'])],
  [/tag|collection|group/i, (random) => random.pick(['summer', 'a, b', ''])],
  [/^(buy|applicable)_products$/, (random) => random.pick(['', 'thing-1'])],
  [/option|attribute/i, (random) => random.pick(['Size', 'S', 'M', 'Default Title', ''])],
  [/name|title/i, (_, n) => `Thing ${n}`],
]

const images = [
  '',
  'https://127.0.0.1/secret.png',
  'http://169.254.169.254/latest/meta-data',
  'https://localhost/1.png',
  'file:///etc/passwd',
  'ftp://example.com/1.png',
  '//example.com/1.png',
]
const numbers = [
  '9.99',
  '1,234.50',
  '1.234,50',
  '19,90 €',
  'EUR 5',
  '0',
  '-5',
  '1e308',
  '1e-320',
  '99999999999999999999',
  'NaN',
  '12.345',
  '$1',
  '',
]
const dates = [
  '2026-01-31 10:00:00 +0100',
  '2026-02-30',
  '2026-01-31',
  '0000-01-01',
  '275760-09-13',
  '-000044-03-15',
  '31/12/2025',
  '2026-01-31T10:00:00Z',
  '',
]

function cellOf(random: Random, kind: ImportKind, column: string, n: number, strangeness: number): string {
  if (random.below(strangeness) === 0) return random.pick(strangeTexts)
  const meaning = meanings.find(([pattern]) => pattern.test(column))
  return meaning ? meaning[1](random, n, kind) : random.pick(['', 'Thing'])
}

const strangeTexts = [
  '=1+1',
  '@SUM(A1)',
  '+49',
  '-1',
  "'=1",
  '=cmd|"/C calc"!A0',
  '\t=1',
  'a "quoted" word',
  'two\nlines',
  'two\r\nlines',
  'a, b; c\td',
  'ünïcödé ☃ 𝒳 👩‍👩‍👧',
  'שלום \u202e',
  '\u0001\u0008\u007f',
  '\uFFFD',
  '""',
  "'",
  '\\',
  '{"a":',
  '[[1]]',
  '["\\u0000"]',
  '["\\ud800"]',
  '{"name":"\\u0000"}',
  '<script>alert(1)</script>',
  '__proto__',
  'null',
  'true',
  'NULL',
  ' '.repeat(50),
]

/** Up to a megabyte of what takes long if someone reads it badly. */
function longText(random: Random): string {
  const part = random.pick([
    'x',
    '<b>',
    '<ul><li>',
    '&a',
    ', ',
    ',',
    '>',
    '=',
    "'",
    '1',
    '1,',
    ' ',
    '[',
    '{"a":',
    '*',
    '_',
    '\n',
    '<!--',
    '𝒳',
  ])
  return part.repeat(Math.floor(random.pick([20_000, 200_000, mebibyte]) / part.length))
}

function csv(random: Random, columns: string[], rows: string[][]): string {
  const sign = random.pick([',', ',', ';', '\t'])
  const end = random.pick(['\n', '\r\n'])
  const quote = (text: string) =>
    /["\n\r,;\t]/.test(text) || random.below(4) === 0 ? `"${text.replaceAll('"', '""')}"` : text
  // No row is empty, so that each counts.
  const lines = rows.map((cells) =>
    cells.map((text, place) => quote(place === 0 && text.trim() === '' ? 'x' : text)).join(sign),
  )
  const isRagged = random.below(10) === 0
  const ragged = isRagged ? lines.map((line) => line + sign.repeat(random.below(3))) : lines
  return [columns.map(quote).join(sign), ...ragged].join(end) + random.pick(['', end, end + end])
}

/** Cells that are empty everywhere are left out of a row, as objects do. */
function jsonl(random: Random, columns: string[], rows: string[][]): { bytes: Buffer; rows: number | null } {
  let isOdd = false
  const valueOf = (text: string): string => {
    if (random.below(30) > 0) return JSON.stringify(text)
    isOdd = true
    const depth = random.pick([5, 40, 10_000])
    return random.pick([
      '1e999',
      '"\\u0000"',
      '"\\ud800"',
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      '{"__proto__":{"a":1}}',
      'true',
      '12.5',
      'null',
    ])
  }
  const lines = rows.map(
    (cells) => `{${cells.map((text, place) => `${JSON.stringify(columns[place])}:${valueOf(text)}`).join(',')}}`,
  )
  return { bytes: Buffer.from(lines.join('\n')), rows: isOdd ? null : rows.length }
}

/** Encoded as the request says, as a mark in the file says, or wrongly. */
function encoded(
  random: Random,
  text: string,
  count: number,
  fields: Record<string, string>,
  isCareful: boolean,
): { bytes: Buffer; rows: number | null } {
  const utf16 = Buffer.from(text, 'utf16le')
  switch (random.below(isCareful ? 3 : 12)) {
    case 0:
    case 1:
      return { bytes: Buffer.from(random.pick(['', '\uFEFF']) + text), rows: count }
    case 2:
      return { bytes: Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), rows: count }
    case 8:
      return { bytes: Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]), rows: count }
    case 3:
      fields.encoding = 'windows-1252'
      return { bytes: Buffer.from(text.replaceAll(/[^\0-\xFF]/g, '?'), 'latin1'), rows: count }
    case 4:
      return { bytes: Buffer.from(text, 'latin1'), rows: null }
    case 5:
      return { bytes: Buffer.from(text).subarray(0, random.below(text.length) + 2), rows: null }
    case 6: {
      const bytes = Buffer.from(text)
      for (let times = 0; times < 3; times++) bytes[random.below(bytes.length)] = random.below(256)
      return { bytes, rows: null }
    }
    case 7:
      return { bytes: random.pick(notTables), rows: null }
    default:
      return { bytes: Buffer.from(text), rows: count }
  }
}

const notTables = [
  Buffer.alloc(0),
  Buffer.from('\n\n\n'),
  Buffer.from('name'),
  Buffer.from('{'),
  Buffer.from('{}'),
  Buffer.from('{"name":"Mug"}\n[1]'),
  Buffer.from('name,price\n"Mug,1'),
  Buffer.from('PK\u0003\u0004'.padEnd(500, 'x')),
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  Buffer.from([0x1f, 0x8b, 8, 0]),
  Buffer.from('%PDF-1.7\n'),
  Buffer.from('<html><table><tr><td>name</td></tr></table>'),
  Buffer.from('\0\0\0\0'),
]
