// Bodies that are made to cost as much as they can, for every route that takes one. Each is read or refused, with few
// words, and looked at no more often than it has parts. Files are read up to their first fault or limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storefrontRoutes } from '../src/http/storefrontroutes.ts'
import type { JsonSchema } from '../src/kit/declare/field.ts'
import type { Route } from '../src/kit/declare/route.ts'
import { ApiError } from '../src/kit/values/errors.ts'
import { maxFileBytes, readTable } from '../src/extensions/transfer/imports/file.ts'
import { routes } from '../src/developer/routes.ts'
import { files } from './worst.ts'

const bytes = 64 * 1024
const context = { currency: 'USD', timezone: 'UTC', country_code: 'US', now: new Date() }
const taking = [
  ...routes.map((route) => ({ route, name: `${route.method} /v1${route.path}` })),
  ...storefrontRoutes.map((route) => ({ route, name: `${route.method} /storefront${route.path}` })),
].filter(({ route }) => route.body)

/** As many as fit, with commas. */
function many(part: (index: number) => string, room = bytes - 1000): string {
  const parts: string[] = []
  for (let length = 0; length < room; length += parts.at(-1)!.length + 1) parts.push(part(parts.length))
  return parts.slice(0, -1).join(',')
}
const name = (index: number) => `u${index.toString(36)}`
const inner = Math.floor(bytes / 2) - 100

const anywhere: Record<string, string> = {
  'unknown members': `{${many((n) => `"${name(n)}":0`)}}`,
  'unknown objects': `{${many((n) => `"${name(n)}":{}`)}}`,
  'objects in objects': `${'{"a":'.repeat(bytes / 8)}0${'}'.repeat(bytes / 8)}`,
  'lists in lists': `{"a":${'['.repeat(inner)}${']'.repeat(inner)}}`,
  'one member again and again': `{${many((n) => `"name":${n}`)}}`,
  'names with NUL': `{${many((n) => `"${name(n)}\\u0000":0`)}}`,
  'texts with NUL': `{${many((n) => `"${name(n)}":"\\u0000"`)}}`,
  'half characters': `{${many((n) => `"${name(n)}":"\\ud800"`)}}`,
  'faults below a long name': `{"${'k'.repeat(inner)}":{${many((n) => `"${name(n)}":"\\u0000"`, inner)}}}`,
  'faults below a name of dots': `{"${'.'.repeat(inner)}":{${many((n) => `"${name(n)}":"\\u0000"`, inner)}}}`,
  'long names with faults': `{${many((n) => `"${name(n)}${'k'.repeat(1000)}":"\\u0000"`)}}`,
  'names of objects': `{${many((n) => `"${['__proto__', 'constructor', 'toString'][n % 3]}":{"a":1}`)}}`,
}

/** The same at every field: too many, too long, too large. */
function* inFields(schema: JsonSchema, wrap: (value: string) => string, path = ''): Generator<[string, string]> {
  for (const shape of (schema.anyOf as JsonSchema[] | undefined) ?? []) yield* inFields(shape, wrap, path)
  const types = [schema.type].flat()
  const room = bytes - 2000
  if (types.includes('object')) {
    if (path) yield [`unknown members in ${path}`, wrap(`{${many((n) => `"${name(n)}":0`, room)}}`)]
    for (const [field, inside] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
      yield* inFields(inside, (value) => wrap(`{${JSON.stringify(field)}:${value}}`), `${path}.${field}`)
    }
  }
  if (types.includes('array')) {
    yield [`small elements in ${path}`, wrap(`[${many(() => '0', room)}]`)]
    yield [`the same text in ${path}`, wrap(`[${many(() => `"${'x'.repeat(100)}"`, room)}]`)]
    yield [
      `empty objects in ${path}`,
      wrap(`[${many(() => '{}', Math.min(room, 3 * Number(schema.maxItems ?? 1000)))}]`),
    ]
    yield* inFields(schema.items as JsonSchema, (value) => wrap(`[${value}]`), `${path}.0`)
  }
  if (types.includes('string')) {
    const longest = Math.min(room, Number(schema.maxLength ?? room))
    for (const unit of ['a', 'a.', 'a@', '1', '1 ', ' ', '-', 'a-', '(']) {
      const text = unit.repeat(Math.floor(longest / unit.length))
      yield [`${unit}${unit}… in ${path}`, wrap(JSON.stringify(text))]
    }
    yield [`a long text in ${path}`, wrap(`"${'1.'.repeat(room / 2)}"`)]
  }
  if (types.includes('number') || types.includes('integer')) {
    for (const number of ['9'.repeat(room), `0.${'1'.repeat(room)}`, '1e308', '5e-324']) {
      yield [`${number.slice(0, 6)} in ${path}`, wrap(number)]
    }
  }
}

/** A value that counts how often something is taken out of it. */
function watched(value: unknown, look: () => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver)
      if (!Object.hasOwn(target, name)) return found
      look()
      return watched(found, look)
    },
  })
}

function partsOf(value: unknown): number {
  let parts = 0
  // Without a stack: some are nested deeper than one is.
  for (const left = [value]; left.length > 0;) {
    const next = left.pop()
    parts++
    if (typeof next === 'object' && next !== null) for (const inside of Object.values(next)) left.push(inside)
  }
  return parts
}

/** Looks at the body, and what was answered where it was refused. */
function read({ body }: Route, text: string) {
  const value: unknown = JSON.parse(text)
  let looks = 0
  try {
    body!.read(
      watched(value, () => looks++),
      context,
      true,
    )
    return { looks, parts: partsOf(value), answer: '', faults: 0 }
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.status, 422)
    return { looks, parts: partsOf(value), answer: error.body, faults: error.faults.length }
  }
}

for (const { route, name } of taking) {
  test(`the worst bodies of ${name} cost no more than their size`, () => {
    for (const [kind, text] of [...Object.entries(anywhere), ...inFields(route.body!.schema, (value) => value)]) {
      assert.ok(text.length <= bytes, `${kind}: ${text.length}`)
      const { looks, parts, answer, faults } = read(route, text)
      assert.ok(looks <= 12 * parts, `${kind}: ${looks} looks at ${parts} parts`)
      assert.ok(faults <= 101, `${kind}: ${faults} faults`)
      assert.ok(answer.length <= bytes, `${kind}: an answer of ${answer.length} characters`)
    }
  })
}

test('the thousandth fault ends the search', () => {
  const { looks, answer } = read(taking[0]!.route, anywhere['texts with NUL']!)
  assert.match(answer, /"The request has 1000 errors"/)
  assert.ok(looks <= 1001, `${looks}`)
})

test('a fault below a long name has the beginning of its path', () => {
  const { answer } = read(taking[0]!.route, anywhere['faults below a long name']!)
  const { details } = JSON.parse(answer).error
  assert.deepEqual(details[0], { field: `${'k'.repeat(254)}…`, message: 'must not contain NUL (U+0000)' })
})

/** Says how far its bytes were read. */
function followed(bytes: Buffer): { bytes: Buffer; farthest: () => number } {
  let farthest = 0
  const subarray = (from = 0, to = bytes.length): Buffer => {
    farthest = Math.max(farthest, Math.min(to, bytes.length))
    return Buffer.prototype.subarray.call(bytes, from, to) as Buffer
  }
  return { bytes: Object.defineProperty(bytes, 'subarray', { value: subarray }), farthest: () => farthest }
}

for (const { name, make, ends, within } of files) {
  test(`reading a file of ${name} ends at its limit, and lets others have their turn`, async () => {
    const { bytes, farthest } = followed(Buffer.from(make(maxFileBytes / 10) as string))
    let [turns, isOver] = [0, false]
    const takeTurns = () => void (isOver || (turns++, setImmediate(takeTurns)))
    setImmediate(takeTurns)
    const end = await readingOf(bytes).finally(() => (isOver = true))
    assert.match(end, ends)
    assert.ok(farthest() <= within, `${farthest()} bytes were read`)
    // A piece has 16 KB; the first of them are read at once.
    assert.ok(turns >= farthest() / 2 ** 14 - 6, `${turns} turns for ${farthest()} bytes`)
  })
}

async function readingOf(bytes: Buffer): Promise<string> {
  try {
    const { rows } = await readTable(bytes)
    for await (const { cells } of rows) assert.ok(cells.length <= 250)
    return 'read'
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return error.message
  }
}
