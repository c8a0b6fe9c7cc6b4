import assert from 'node:assert/strict'
import { test } from 'node:test'
import { list, object } from '../../kit/declare/composites.ts'
import { choice, integer, text } from '../../kit/declare/scalars.ts'
import { storefrontRoutes } from '../../http/storefrontroutes.ts'
import { routes } from '../routes.ts'
import { sensitive, type JsonSchema } from '../../kit/declare/field.ts'
import { maskText } from '../../kit/values/masking.ts'
import { mask } from './mask.ts'

const order = object({
  note: text(),
  name: text().personal(),
  status: choice(['open', 'closed']),
  lines: list(object({ count: integer(), sku: text() }), { max: 500 }),
  api_key: text(),
})
const shown = (value: unknown, maximum?: number) => JSON.parse(mask(value, order.spec.schema, maximum)!)

test('what a schema names is shown, but for what is personal or secret; what it does not name is masked', () => {
  assert.deepEqual(
    shown({
      note: 'By the door',
      name: 'Ana',
      status: 'open',
      lines: [{ count: 2, sku: 'S', colour: 'red' }],
      api_key: 'abc',
      more: { deep: true },
      none: null,
    }),
    {
      note: 'By the door',
      name: '***',
      status: 'open',
      lines: [{ count: 2, sku: 'S', colour: '***' }],
      api_key: '***',
      more: '***',
      none: null,
    },
  )
})

test('keys, cards and e-mail addresses are masked wherever they stand', () => {
  for (const [text, masked] of [
    ['pay 4111 1111 1111 1111 now', 'pay *** now'],
    ['order 4111 1111 1111 1112', 'order 4111 1111 1111 1112'],
    ['wk_live_abcDEF0123', '***'],
    ['sk_test_123 and whsec_abc=', '*** and ***'],
    ['Bearer abc.def-ghi', '***'],
    ['write to ana.torres+shop@mail.example.com, please', 'write to ***, please'],
    ['fetch https://hooks.example/a?token=b#c or not', 'fetch https://hooks.example/a?*** or not'],
    ['2 pieces at 10.50', '2 pieces at 10.50'],
  ] as const)
    assert.equal(maskText(text), masked)
})

test('a body takes no more room than it may, and is JSON in any case', () => {
  const huge = {
    note: 'x'.repeat(100_000),
    lines: Array.from({ length: 500 }, (_, count) => ({ count, sku: 'S'.repeat(190) })),
  }
  const text = mask(huge, order.spec.schema)!
  assert.ok(text.length < 8000, String(text.length))
  assert.equal(JSON.parse(text).note, `${'x'.repeat(200)}…`)
  assert.ok(mask(huge, order.spec.schema, 100)!.length < 1000)
  const names = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`n${index}`, 1]))
  assert.ok(mask(names, order.spec.schema)!.length < 8000)
})

test('what is no object has no place in the log', () => {
  for (const value of [null, undefined, 'text', 5, [1]]) assert.equal(mask(value, order.spec.schema), null)
})

/** Names of what may tell of a person, or where somebody writes about one. */
const isAboutPeople =
  /(^|_)(name|email|mail|message|phone|address|city|notes?|contact|recipient|tax_id|reason|tracking_\w+)$/

/** Names of goods, of the shop and of what it has set up. */
const isAboutGoods = /^(Products|Categories|Collections|Customer groups|Discounts|Media|Store) (plan_)?name$/

/** Fields whose text the log would show unmasked, such as `Products sku`. */
function freeTexts(schema: JsonSchema, at: string[], found: Set<string>): Set<string> {
  if (schema[sensitive]) return found
  const { properties = {}, items, anyOf = [], type, enum: choices } = schema as any
  const name = at.at(-1)!
  if ([type].flat().includes('string') && !choices && isAboutPeople.test(name)) found.add(`${at[0]} ${name}`)
  for (const [name, inner] of Object.entries(properties)) freeTexts(inner as JsonSchema, [...at, name], found)
  for (const shape of [items, ...anyOf]) if (shape) freeTexts(shape, at, found)
  return found
}

test('of the texts that the log shows of bodies none tells of a person, but of the shop and its goods', () => {
  const found = new Set<string>()
  for (const { body, returns, tag, method } of [...routes, ...storefrontRoutes]) {
    if (method === 'GET') continue
    for (const schema of [body?.schema ?? {}, returns]) freeTexts(schema, [tag], found)
  }
  // Names of taxes are among those of orders and of the storefront, which tells changes in messages; the tax_id of a
  // tax line is the store's; the contact is the imprint of the shop; the reason of a proposal's movement of stock is
  // one of a few. Messages of discounts, imports, batches and deliveries are the service's own; the names of an import
  // are those of a file and its columns, and those of downloads are of files.
  const doubtful = [...found].filter((name) => !isAboutGoods.test(name))
  assert.deepEqual(doubtful.sort(), [
    'Discounts message',
    'Downloads name',
    'Draft orders message',
    'Draft orders name',
    'Draft orders product_name',
    'Draft orders tax_id',
    'Draft orders variant_name',
    'Forks name',
    'Imports file_name',
    'Imports message',
    'Imports name',
    'Imports notes',
    'Inventory reason',
    'Orders failure_reason',
    'Orders message',
    'Orders name',
    'Orders product_name',
    'Orders tax_id',
    'Orders variant_name',
    'Payments message',
    'Payments reason',
    'Proposals reason',
    'Store contact_address',
    'Store contact_email',
    'Store contact_phone',
    'Store legal_name',
    'Store message',
    'Store pickup_address',
    'Store tax_id',
    'Storefront message',
    'Storefront name',
    'Storefront product_name',
    'Storefront variant_name',
    'Webhooks message',
  ])
})
