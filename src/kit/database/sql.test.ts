import assert from 'node:assert/strict'
import { test } from 'node:test'
import { and, compile, currentTime, empty, flat, inStore, join, raw, records, sql, bindStore } from './sql.ts'

test('values become parameters, in order, through nested fragments', () => {
  const where = and([sql`a = ${1}`, sql`b = any(${[2, 3]})`])
  const { text, values } = compile(sql`select ${raw('name')} from t where ${where} limit ${4}`)
  assert.equal(text, 'select name from t where a = $1\n  and b = any($2) limit $3')
  assert.deepEqual(values, [1, [2, 3], 4])
})

test('a hostile value never reaches the text', () => {
  const { text, values } = compile(sql`select ${"'; drop table stores --"}`)
  assert.equal(text, 'select $1')
  assert.deepEqual(values, ["'; drop table stores --"])
})

test('the store of a row is one parameter where it is known, otherwise the column', () => {
  const variants = sql`select from variants where store_id = ${bindStore('products.store_id')}`
  const query = sql`select exists (${variants}), (${variants}) from products where id = ${1}`
  const [both, alone] = [compile(query, { storeId: 'SH-1' }), compile(query)]
  assert.match(both.text, /^(.+store_id = \$1\)){2} from products where id = \$2$/)
  assert.deepEqual(both.values, ['SH-1', 1])
  assert.match(alone.text, /^(.+store_id = products\.store_id\)){2} from products where id = \$1$/)
  assert.deepEqual(compile(inStore('SH-2', query), { storeId: 'SH-1' }).values, ['SH-2', 1])
})

test('a text gets a name on its second use, and keeps it', () => {
  const named = (n: number) => compile(sql`select ${n} as ${raw('one')}`).name
  assert.equal(named(1), undefined)
  assert.ok(named(2))
  assert.equal(named(1), named(2))
  compile(sql`select 2 as two`)
  assert.notEqual(named(1), compile(sql`select 2 as two`).name)
})

test('fragments in any arrangement are recognized as what they are', () => {
  const column = (n: number) => raw(['a', 'b', '1', ''][n % 4]!)
  const pieces = [
    (n: number) => sql`x = ${n}`,
    (n: number) => sql`x = ${n}`,
    (n: number) => sql`(${column(n)})`,
    (n: number) => join([column(n), sql`${n}`, column(n + 1)], ', '),
    (n: number) => join([sql`${n}`, column(n)], ', '),
    () => sql`${bindStore('t.store_id')}`,
    (n: number) => sql`${currentTime} ${bindStore('u.store_id')} ${n}`,
    (n: number) => flat(sql`${column(n)} ${bindStore('t.store_id')} ${n}`),
  ]
  const now = new Date(0)
  for (let seed = 0; seed < pieces.length ** 3; seed++) {
    const parts = [seed % 8, Math.floor(seed / 8) % 8, Math.floor(seed / 64)]
    const query = () =>
      sql`select ${join(
        parts.map((part, index) => pieces[part]!(index + 1)),
        ' and ',
      )} end`
    for (const storeId of ['SH-1', undefined]) {
      const uses = [1, 2, 3].map(() => compile(query(), { now, storeId }))
      // The first use puts the text together from the pieces; later ones know it.
      for (const { text, values } of uses) assert.deepEqual([text, values], [uses[0]!.text, uses[0]!.values])
      const places = [...uses[0]!.text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place))
      assert.equal(Math.max(0, ...places), uses[0]!.values.length)
    }
  }
})

test('thousands of unique texts displace no name in use', () => {
  const used = () => compile(sql`select 'used'`).name
  used()
  const name = used()
  for (let n = 0; n < 2000; n++) compile(raw(`select 'once', ${n}`))
  assert.equal(used(), name)
  for (let n = 0; n < 2000; n++) {
    for (let times = 0; times < 2; times++) compile(raw(`select 'twice', ${n}`))
    if (n % 300 === 0) assert.equal(used(), name)
  }
  assert.equal(compile(raw(`select 'twice', 0`)).name, undefined, 'an odd one has lost its own')
})

test('an empty list of conditions is true, an empty list of parts is empty', () => {
  assert.equal(compile(and([])).text, 'true')
  assert.equal(compile(join([], ', ')).text, '')
  assert.equal(compile(empty).text, '')
})

test('records are a table of one parameter; missing properties are null', () => {
  const rows = [{ id: 7, name: 'mug' }, { id: 8 }]
  const { text, values } = compile(sql`select id from ${records('given', { name: 'text', id: 'int' }, rows)}`)
  assert.match(text, /\(cells->>0\)::text as name, \(cells->>1\)::int as id\s+from jsonb_array_elements\(\$1::jsonb\)/)
  assert.deepEqual(values, ['[["mug",7],[null,8]]'])
})

test('the current time is a parameter that is filled in when the query is compiled', () => {
  const now = new Date('2026-06-15T12:00:00Z')
  const isOver = sql`ends_at <= ${currentTime}`
  const { text, values } = compile(sql`select ${isOver}, ${1} where ${isOver}`, { now })
  assert.equal(text, 'select ends_at <= $1, $2 where ends_at <= $3')
  assert.deepEqual(values, [now, 1, now])
})
