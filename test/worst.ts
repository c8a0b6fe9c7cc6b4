// What costs a reader the most: texts, bodies and files that are made for it, at any size. The tests say that reading
// ends and what is answered, bench/worstbodies.ts what it costs.
import type { InjectOptions } from 'fastify'
import { addressOf, type Served } from './served.ts'

export const repeated = (bytes: number, unit: string, end = '') => unit.repeat(Math.floor(bytes / unit.length)) + end

/** For headers, addresses and cells: what takes long if a pattern reads it badly. */
// prettier-ignore
export const texts = (bytes: number): string[] => [
  ['a', '('],       ['a '],       [' ', 'x'],        [',', 'x'],  ['a,', '"'],
  ['a;', '('],      ['a=', '('],  ['"'],             ['"a', '('], ['a@'],
  ['@', ' '],       ['a.', '@'],  ['http://a', ' '], ['/', 'x'],  ['../'],
  ['1 ', 'x'],      ['-', 'x'],   ['%41', '%'],      ['*_', '*'], ['4111', 'x'],
  ['Bearer ', '('], ['a&', '='],  ['\\', '('],       ['-eyJ', '('], ['sk_live_', '('],
].map(([unit, end]) => repeated(bytes, unit!, end))

/** As many parts as fit, with a sign between them. */
function many(bytes: number, part: (index: number) => string, sign = ','): string {
  const parts: string[] = []
  for (let length = 0; length < bytes; length += parts.at(-1)!.length + 1) parts.push(part(parts.length))
  return parts.slice(0, -1).join(sign)
}

const boundary = '-'.repeat(60)
const part = (name: string, content: string, more = '') =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`

type WorstBody = { type: string; name: string; make: (bytes: number) => string | Buffer }

const json = (name: string, make: WorstBody['make']): WorstBody => ({ type: 'application/json', name, make })
const form = (name: string, make: WorstBody['make']): WorstBody => ({
  type: 'application/x-www-form-urlencoded',
  name,
  make,
})
const multipart = (name: string, make: WorstBody['make']): WorstBody => ({
  type: `multipart/form-data; boundary=${boundary}`,
  name,
  make,
})

const message = (index: number) => `{"jsonrpc":"2.0","id":${index},"method":"tools/list"}`

export const bodies: readonly WorstBody[] = [
  json('objects in objects', (bytes) => `${'{"a":'.repeat(bytes / 8)}0${'}'.repeat(bytes / 8)}`),
  json('lists in lists', (bytes) => `{"a":${'['.repeat(bytes / 2 - 10)}${']'.repeat(bytes / 2 - 10)}}`),
  json('many names', (bytes) => `{${many(bytes, (n) => `"u${n.toString(36)}":0`)}}`),
  json('many elements', (bytes) => `[${many(bytes, () => '0')}]`),
  json('one long text', (bytes) => `{"name":"${'\\u0041'.repeat(bytes / 6 - 5)}"}`),
  json('one long number', (bytes) => `{"price":${'9'.repeat(bytes - 20)}}`),
  json('not closed', (bytes) => '{"a":'.repeat(bytes / 5)),
  json('a batch', (bytes) => `[${many(bytes, message)}]`),
  json(
    'an event of a provider',
    (bytes) => `{"id":"evt_1","type":"x","data":{"object":{${many(bytes - 200, (n) => `"u${n}":0`)}}}}`,
  ),
  form('many fields', (bytes) => many(bytes, (n) => `u${n}=`, '&')),
  form('one field again and again', (bytes) => many(bytes, () => 'scope=a', '&')),
  form('signs only', (bytes) => '&'.repeat(bytes)),
  form('escapes', (bytes) => `token=${'%41'.repeat(bytes / 3 - 5)}`),
  form('broken escapes', (bytes) => `token=${'%'.repeat(bytes - 10)}`),
  multipart('many parts', (bytes) => `${many(bytes - 200, (n) => part(`u${n}`, ''), '')}--${boundary}--`),
  multipart('many files', (bytes) => many(bytes - 200, () => part('file', 'x', '; filename="a"'), '')),
  multipart('one field without end', (bytes) => part('kind', 'x'.repeat(bytes - 200))),
  multipart('a long head', (bytes) => part('kind'.repeat(bytes / 4 - 100), '')),
  multipart('signs of its boundary', (bytes) => part('file', `\r\n${'-'.repeat(bytes - 300)}`, '; filename="a"')),
  { type: 'text/plain', name: 'a text', make: (bytes) => 'x'.repeat(bytes) },
]

/** Bodies of the types that the route reads, and some that it does not. */
export function bodiesFor({ url }: Served): readonly WorstBody[] {
  const types = /^\/(v1|storefront|ucp|mcp)\b/.test(url) ? /json/ : /^\/(dashboard|s)\b/.test(url) ? /form/ : /./
  return bodies.filter(({ type, name }) => types.test(type) || name === 'a text')
}

const columns = Array.from({ length: 250 }, (_, n) => `c${n}`)
const wide =
  (part: string, from = 0) =>
  (bytes: number) =>
    `${columns.join(',')}\n${repeated(bytes, part)}`.slice(from)

const deepLine = `{"a":${'['.repeat(4e5)}${']'.repeat(4e5)}}`
const wrong = (bytes: number) =>
  Buffer.concat([
    Buffer.from(`${repeated(bytes / 2, 'é,1,and more\n')}ab`),
    Buffer.from([0xff]),
    Buffer.alloc(bytes / 2, 'x'),
  ])

type WorstFile = { name: string; make: (bytes: number) => string | Buffer; ends: RegExp; within: number }

/** Rows of one character, at most 500,000 of them. */
const mebibyte = 2 ** 20
const file = (name: string, make: WorstFile['make'], ends: RegExp, within = Infinity): WorstFile => ({
  name,
  make,
  ends,
  within,
})

/** Files of imports; reading ends with this message, and reads no more bytes than these. */
export const files: readonly WorstFile[] = [
  file('columns', (bytes) => repeated(bytes, 'a,'), /more than 250 columns/, 2 ** 16),
  file('commas', (bytes) => repeated(bytes, ','), /more than 250 columns/, 2 ** 16),
  file('tabs', (bytes) => repeated(bytes, '\t'), /more than 250 columns/, 2 ** 16),
  file('quoted cells', (bytes) => repeated(bytes, '"",'), /more than 250 columns/, 2 ** 16),
  file('quotes', (bytes) => repeated(bytes, '""'), /1000000 characters at line 1/, mebibyte),
  file('one cell', (bytes) => repeated(bytes, 'x'), /1000000 characters at line 1/, mebibyte),
  file('one cell with a quote', (bytes) => `"${repeated(bytes, 'x\n')}`, /1000000 characters at line 1/, mebibyte),
  file('a wide row', (bytes) => `name,price\n${repeated(bytes, 'a,')}`, /more than 250 columns/, 2 ** 16),
  file('empty lines', (bytes) => repeated(bytes, '\n'), /more than 500000 rows/, mebibyte),
  file('returns', (bytes) => repeated(bytes, '\r'), /more than 500000 rows/, mebibyte),
  file('empty rows', (bytes) => `name,price\n${repeated(bytes, ',\n')}`, /more than 500000 rows/, 1.1 * mebibyte),
  file('short rows', (bytes) => `name\n${repeated(bytes, 'a\n')}`, /more than 500000 rows/, 1.1 * mebibyte),
  file('short rows of many columns', wide('a\n'), /more than 500000 rows/, 1.1 * mebibyte),
  file('whole rows of many columns', wide(`${'a,'.repeat(249)}a\n`), /^read$/),
  file('empty objects', (bytes) => repeated(bytes, '{}\n'), /more than 500000 rows/, 1.5 * mebibyte),
  file('small objects', (bytes) => repeated(bytes, '{"a":1}\n'), /more than 500000 rows/, 4 * mebibyte),
  file('an object of many names', (bytes) => `{${many(bytes / 100, (n) => `"k${n}":0`)}}`, /250 columns/),
  file('new names on each line', (bytes) => many(bytes, (n) => `{"k${n}":0}`, '\n'), /250 columns/, 2 ** 16),
  file('lists in lists', (bytes) => repeated(bytes, `${deepLine}\n`), /32 levels/, mebibyte),
  file('many elements', (bytes) => repeated(bytes, `{"a":[${'0,'.repeat(4e5)}0]}\n`), /line 1/, mebibyte),
  file('an object without end', (bytes) => `{"a":"${repeated(bytes, 'x')}`, /1000000 characters at line 1/, mebibyte),
  file('a byte that is no text', wrong, /not UTF-8 \(line \d+, column 3\)/),
]

/** The form that brings a file. */
export function formOf(content: string | Buffer, fields: Record<string, string>): { type: string; payload: Buffer } {
  const texts = Object.entries(fields).map(([name, value]) => part(name, value))
  const head = `${texts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(head), Buffer.from(content as string), Buffer.from(`\r\n--${boundary}--`)])
  return { type: `multipart/form-data; boundary=${boundary}`, payload }
}

/** One of a stranger whose address has not asked before, so that no limit answers for the route. */
let strangers = 0
export function freshly(request: InjectOptions): InjectOptions {
  strangers++
  return { remoteAddress: `10.${strangers >> 16}.${(strangers >> 8) & 255}.${strangers & 255}`, ...request }
}

/** A request with the body to the route. */
export function sending(
  route: Served,
  { type, make }: WorstBody,
  bytes: number,
  { values, headers }: { values: Record<string, string>; headers: Record<string, string> },
): InjectOptions {
  return freshly({
    method: route.method as 'POST',
    url: addressOf(route, values),
    headers: { ...headers, 'content-type': type },
    payload: make(bytes),
  })
}
