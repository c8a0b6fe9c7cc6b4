// A declared field that is stored has its column; when it lacks one, the failure says which line the migration needs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '../src/kit/declare/field.ts'
import type { Resource } from '../src/kit/declare/resource.ts'
import { columnType } from '../src/kit/declare/row.ts'
import { sql } from '../src/kit/database/sql.ts'
import { apiKey } from '../src/identity/apikeys/apikey.ts'
import { category } from '../src/commerce/catalog/category.ts'
import { product } from '../src/commerce/catalog/product.ts'
import { variant } from '../src/commerce/catalog/variant.ts'
import { customer } from '../src/commerce/customers/customer.ts'
import { discount } from '../src/commerce/discounts/discount.ts'
import { item } from '../src/commerce/orders/item.ts'
import { order } from '../src/commerce/orders/order.ts'
import { routes } from '../src/developer/routes.ts'
import { store } from '../src/tenancy/stores/store.ts'
import { openWorld } from './world.ts'

const world = await openWorld()

const named = [apiKey, category, product, variant, customer, discount, item, order, store] as Resource<any, any>[]
const inPaths = routes.flatMap(({ params = {} }) => Object.values(params) as Resource<any, any>[])
const resources = new Set([...named, ...inPaths])

test('every stored field of every resource has its column, which takes null if the field does', async () => {
  const rows = await world.app.db.rows<{ table: string; column: string; takes_null: boolean }>(sql`
    select table_name as table, column_name as column, is_nullable = 'YES' as takes_null
    from information_schema.columns
    where table_schema = current_schema()`)
  const columns = new Map(rows.map(({ table, column, takes_null }) => [`${table}.${column}`, takes_null]))
  const missing: string[] = []
  for (const { table, fields } of resources) {
    for (const [name, { spec }] of Object.entries(fields as Record<string, Field>)) {
      if (spec.expression) continue
      const takesNull = columns.get(`${table}.${name}`)
      const definition = `${columnType(spec)}${spec.nullable ? '' : ' not null'}`
      if (takesNull === undefined) missing.push(`alter table ${table} add column ${name} ${definition};`)
      else if (spec.nullable && !takesNull) missing.push(`alter table ${table} alter column ${name} drop not null;`)
    }
  }
  assert.deepEqual(missing, [])
})

test('a prefix of ids stands for one table', () => {
  const tables = Object.groupBy(resources, ({ prefix }) => prefix ?? '')
  delete tables['']
  assert.ok(Object.keys(tables).length > 15)
  for (const [prefix, named] of Object.entries(tables)) {
    assert.match(prefix, /^[a-z]{2,4}$/)
    assert.equal(new Set(named!.map(({ table }) => table)).size, 1, prefix)
  }
})
