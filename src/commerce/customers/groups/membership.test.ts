// Who is in a group: the conditions in SQL against the same rules, read one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { records, sql } from '../../../kit/database/sql.ts'
import { newUuid, publicId } from '../../../kit/values/ids.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { fc } from '../../../../test/random.ts'

const world = await openWorld()
const dayMs = 24 * 3600_000
const now = world.clock.now().getTime()

type Facts = {
  name: string
  orders_count: number
  total_spent: number
  days: number | null
  last_country_code: string | null
  last_province_code: string | null
  tags: string[]
  accepts_marketing: boolean
}

const counts = fc.integer({ min: 0, max: 4 })
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null, freq: 1 })
const countries = ['MX', 'US', 'DE']
const provinces = ['US-CA', 'US-NY', 'MX-CMX']
const tags = ['vip', 'Press', 'été']

const facts = fc.record({
  orders_count: counts,
  total_spent: fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10),
  days: maybe(counts),
  last_country_code: maybe(fc.constantFrom(...countries)),
  last_province_code: maybe(fc.constantFrom(...provinces)),
  tags: fc.subarray(tags),
  accepts_marketing: fc.boolean(),
})

/** Each rule is set in a third of the groups. */
const rule = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary, weight: 1 }, { arbitrary: fc.constant(undefined), weight: 2 })
const range = rule(fc.tuple(maybe(counts), maybe(counts)))
const rules = fc.record({
  match: fc.constantFrom('all', 'any'),
  spent: range,
  orders: range,
  days: range,
  country_codes: rule(fc.subarray(countries, { minLength: 1 })),
  provinces: rule(fc.subarray(provinces, { minLength: 1 })),
  customer_tags: rule(fc.subarray(['VIP', 'press', 'ÉTÉ', 'other'], { minLength: 1 })),
  accepts_marketing: rule(fc.boolean()),
})
type Rules = typeof rules extends fc.Arbitrary<infer R> ? R : never
type Range = [number | null, number | null] | undefined

/** In order, without an end below its beginning. */
const inOrder = (range: Range): Range =>
  range && range[0] !== null && range[1] !== null && range[0] > range[1] ? [range[1], range[0]] : range

const isWithin = (value: number | null, [least, most]: NonNullable<Range>) =>
  value !== null && (least === null || value >= least) && (most === null || value <= most)

function isMatch(one: Facts, rules: Rules): boolean {
  const isSet = (range: Range) => range !== undefined && range.some((end) => end !== null)
  const met = [
    isSet(rules.spent) && (isWithin(one.total_spent, rules.spent!) ? 'yes' : 'no'),
    isSet(rules.orders) && (isWithin(one.orders_count, rules.orders!) ? 'yes' : 'no'),
    isSet(rules.days) && (isWithin(one.days, rules.days!) ? 'yes' : 'no'),
    rules.country_codes && (rules.country_codes.includes(one.last_country_code!) ? 'yes' : 'no'),
    rules.provinces && (rules.provinces.includes(one.last_province_code!) ? 'yes' : 'no'),
    rules.customer_tags &&
      (one.tags.some((tag) => rules.customer_tags!.some((own) => own.toLowerCase() === tag.toLowerCase()))
        ? 'yes'
        : 'no'),
    rules.accepts_marketing !== undefined && (one.accepts_marketing === rules.accepts_marketing ? 'yes' : 'no'),
  ].filter(Boolean)
  return rules.match === 'any' ? met.includes('yes') : met.length > 0 && !met.includes('no')
}

function bodyOf({ spent, orders, days, ...rules }: Rules): object {
  const [min_total_spent, max_total_spent] = spent ?? []
  const [min_orders_count, max_orders_count] = orders ?? []
  const [min_days_since_order, max_days_since_order] = days ?? []
  return {
    ...rules,
    ...{ min_total_spent, max_total_spent, min_orders_count, max_orders_count },
    ...{ min_days_since_order, max_days_since_order },
  }
}

test('90 groups of random rules have whom a slow calculation finds, in lists and in previews', async () => {
  const { api, store } = await world.newStore()
  const people: Facts[] = fc.sample(facts, 60).map((one, at) => ({ ...one, name: `C${at}` }))
  await world.app.db.transaction(async (tx) => {
    const rows = people.map((one) => ({
      ...one,
      id: newUuid(),
      tags: `{${one.tags.join(',')}}`,
      last_order_at: one.days === null ? null : new Date(now - one.days * dayMs).toISOString(),
    }))
    const columns = {
      ...{ id: 'uuid', name: 'text', orders_count: 'int', total_spent: 'numeric', last_order_at: 'timestamptz' },
      ...{ last_country_code: 'text', last_province_code: 'text', tags: 'text[]', accepts_marketing: 'boolean' },
    }
    tx.later(sql`
      insert into customers (store_id, id, name, search_text, orders_count, total_spent, last_order_at,
        last_country_code, last_province_code, tags, accepts_marketing, created_at, updated_at)
      select ${store.id}, id, name, name, orders_count, total_spent, last_order_at,
        last_country_code, last_province_code, tags, accepts_marketing, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from ${records('made', columns, rows)}`)
  })
  let matched = 0
  for (const [at, drawn] of fc.sample(rules, 90).entries()) {
    const own = { ...drawn, spent: inOrder(drawn.spent), orders: inOrder(drawn.orders), days: inOrder(drawn.days) }
    const body = bodyOf(own as Rules)
    const group = dataOf(await api.post('/v1/customer-groups', { name: `G${at}`, ...body }), 201)
    const { data } = await api.get(`/v1/customer-groups/${group.id}/members?per_page=100`)
    const expected = people.filter((one) => isMatch(one, own as Rules)).map(({ name }) => name)
    assert.deepEqual(data.map(({ name }: any) => name).sort(), expected.sort(), JSON.stringify(body))
    const counted = dataOf(await api.post('/v1/customer-groups/preview', body), 200)
    assert.equal(counted.count, expected.length)
    matched += expected.length
    const id = publicId('cus', newUuid())
    assert.equal((await api.get(`/v1/customer-groups?customer_id=${id}`)).body.pagination.total, 0)
  }
  assert.ok(matched > 100, String(matched))
})
