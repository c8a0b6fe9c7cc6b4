// Nothing that a client sends ends at a constraint of the database as a 500. Keys are refused by the operation that
// names them, or run it again and end in 409; what a check forbids, the declaration forbids before it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonSchema } from '../src/kit/declare/field.ts'
import type { Resource } from '../src/kit/declare/resource.ts'
import type { ApiError } from '../src/kit/values/errors.ts'
import { sql } from '../src/kit/database/sql.ts'
import { apiKey } from '../src/identity/apikeys/apikey.ts'
import { category } from '../src/commerce/catalog/category.ts'
import { collection } from '../src/commerce/catalog/collection.ts'
import { product } from '../src/commerce/catalog/product.ts'
import { variant } from '../src/commerce/catalog/variant.ts'
import { customer } from '../src/commerce/customers/customer.ts'
import { discount } from '../src/commerce/discounts/discount.ts'
import { newOrder } from '../src/commerce/orders/order.ts'
import { item } from '../src/commerce/orders/item.ts'
import { customFields } from '../src/tenancy/stores/customfield.ts'
import { orderBumps } from '../src/tenancy/stores/orderbump.ts'
import { paymentMethods } from '../src/commerce/payments/method.ts'
import { shippingRates } from '../src/tenancy/stores/shippingrate.ts'
import { store } from '../src/tenancy/stores/store.ts'
import { taxZones } from '../src/commerce/tax/taxzone.ts'
import { openWorld } from './world.ts'

const world = await openWorld()

const resources: Resource<any, any>[] = [
  apiKey,
  category,
  collection,
  customer,
  discount,
  item,
  product,
  store,
  variant,
  ...[customFields, orderBumps, paymentMethods, shippingRates, taxZones].map(({ resource }) => resource),
]
// What bodies may give: table → field → schema.
const given = new Map<string, Record<string, JsonSchema>>([
  ...resources.map(({ table, create }) => [table, propertiesOf(create.schema)] as const),
  ['orders', propertiesOf(newOrder.schema)],
])
const source = globSync('src/**/*.ts', { cwd: new URL('..', import.meta.url).pathname })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
  .join('\n')

function propertiesOf({ properties }: JsonSchema): Record<string, JsonSchema> {
  return (properties ?? {}) as Record<string, JsonSchema>
}

type Check = { name: string; table: string; columns: string[]; definition: string }

test('what a check forbids, the declaration of the field forbids, or its operation names the refusal', async () => {
  const checks = await world.app.db.rows<Check>(sql`
    select conname as name, conrelid::regclass::text as table, pg_get_constraintdef(pg_constraint.oid) as definition,
      array(
        select attname::text
        from pg_attribute
        where attrelid = conrelid
          and attnum = any(conkey)) as columns
    from pg_constraint
    where connamespace = 'public'::regnamespace
      and contype = 'c'`)
  assert.ok(checks.length > 40)
  const unmapped = checks.filter((check) => !isMapped(check)).map(({ name, definition }) => `${name} ${definition}`)
  assert.deepEqual(unmapped, [])
})

/** Columns that no body gives are written by code alone. */
function isMapped({ name, table, columns, definition }: Check): boolean {
  const fields = columns.filter((column) => given.get(table)?.[column])
  if (fields.length === 0 || aliased.has(name) || new RegExp(`\\b${name}\\b`).test(source)) return true
  if (columns.length > 1) return sums.has(name) || schedules.has(name) || name === 'categories_ancestors'
  return demands(given.get(table)![fields[0]!]!, definition)
}

// The order's own arithmetic: it has these from the lines, never from the body alone.
const sums = new Set(['orders_check', 'orders_check1', 'order_items_check'])
// A product's schedule follows its status (src/commerce/catalog/schedule.ts).
const schedules = new Set(['products_check', 'products_check1'])
// The ancestors of a category follow its parent (src/commerce/catalog/categorytree.ts).
// `fixed` is read as fixed_amount; a set of choices is compared by eye.
const aliased = new Set(['discounts_type_check', 'discounts_combines_with_check'])

function demands(schema: JsonSchema, definition: string): boolean {
  const {
    enum: choices,
    minimum = -Infinity,
    exclusiveMinimum = -Infinity,
    maximum = Infinity,
    pattern,
  } = schema as any
  const forms: [RegExp, (...bound: string[]) => boolean][] = [
    // Null satisfies every check.
    [/ANY \(ARRAY\[(.*)\]\)/, (list) => choices?.every((one: string | null) => !one || list!.includes(`'${one}'`))],
    [/>= \(?(\d+)\)?.* <= \(?(\d+)\)?/, (least, most) => minimum >= Number(least) && maximum <= Number(most)],
    [/>= \(?(\d+)\)?/, (least) => minimum >= Number(least) || exclusiveMinimum >= Number(least)],
    [/> \(?(\d+)\)?/, (bound) => exclusiveMinimum >= Number(bound) || minimum > Number(bound)],
    // A regular expression is compared by eye, and by the tests of its field.
    [/~ '/, () => pattern !== undefined || 'minLength' in schema],
  ]
  const form = forms.find(([pattern]) => pattern.test(definition))
  return form !== undefined && form[1](...form[0].exec(definition)!.slice(1))
}

test('every other constraint is a key: who violates one is refused by name, or runs again and gets 409', async () => {
  const others = await world.app.db.rows(sql`
    select conname
    from pg_constraint
    where connamespace = 'public'::regnamespace
      and (contype not in ('c', 'f', 'n', 'p', 'u') or condeferrable)`)
  assert.deepEqual(others, [])
  const {
    store: { id },
  } = await world.newStore()
  const twice = world.app.db.transaction((tx) => tx.rows(sql`insert into store_counters (store_id) values (${id})`))
  const failure = (await twice.catch((error: unknown) => error)) as ApiError & { cause: { code: string } }
  assert.deepEqual([failure.status, failure.code, failure.cause.code], [409, 'CONFLICT', '23505'])
})
