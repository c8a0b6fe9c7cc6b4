// What the specification of the Universal Commerce Protocol says of every answer: its fields, and what holds between
// them. Written from the text of both releases (https://ucp.dev/2026-08-25/specification/reference).
import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsOfAjv from 'ajv-formats'
import type { Release } from '../src/extensions/ucp/releases.ts'

type Schema = Record<string, unknown>

const record = (required: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
})
const list = (items: Schema, rest: Schema = {}): Schema => ({ type: 'array', items, ...rest })
const oneOf = (...names: string[]): Schema => ({ enum: names })
const text: Schema = { type: 'string', minLength: 1 }
const url: Schema = { type: 'string', format: 'uri', pattern: '^https?://' }
const time: Schema = { type: 'string', format: 'date-time' }
const flag: Schema = { type: 'boolean' }
const units: Schema = { type: 'integer' }
const positive: Schema = { type: 'integer', minimum: 0 }
const count: Schema = { type: 'integer', minimum: 1 }
const currency: Schema = { type: 'string', pattern: '^[A-Z]{3}$' }
const capabilityName: Schema = { pattern: '^[a-z][a-z0-9]*(\\.[a-z][a-z0-9_]*)+$' }

/** A registry: reverse-domain name → entries, all of one release. */
const registryOf = (entry: Schema): Schema => ({
  type: 'object',
  propertyNames: capabilityName,
  additionalProperties: list(entry, { minItems: 1 }),
})

// RFC 9535, as far as names, indexes and quoted names go.
const path: Schema = { type: 'string', pattern: String.raw`^\$(\.[A-Za-z_]\w*|\[\d+\]|\['[^']+'\])*$` }
const message = {
  ...record({ type: oneOf('error', 'warning', 'info'), code: text, content: text }, { path }),
  if: { properties: { type: { const: 'error' } } },
  // Only errors have a severity.
  then: record({ severity: oneOf('recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable') }),
  else: { not: { required: ['severity'] } },
}
const messages = list(message, { minItems: 1 })

const price = record({ amount: positive, currency })
const description = { ...record({}, { plain: text, html: text, markdown: text }), minProperties: 1 }
const media = list(record({ type: text, url }, { alt_text: text }), { minItems: 1 })
const option = record({ name: text, label: text })
const inputs = list(record({ id: text, match: oneOf('exact', 'featured') }), { minItems: 1 })
const variant = (required: Record<string, Schema> = {}) =>
  record(
    { id: text, title: text, description, price, ...required },
    {
      url,
      sku: text,
      barcodes: list(record({ type: text, value: text })),
      list_price: price,
      availability: record({}, { available: flag, status: text }),
      options: list(option),
      media,
    },
  )
const product = (variants: Schema, more: Record<string, Schema> = {}) =>
  record(
    {
      id: text,
      title: text,
      description,
      price_range: record({ min: price, max: price }),
      variants: list(variants, { minItems: 1 }),
    },
    {
      handle: text,
      url,
      categories: list(record({ value: text }, { taxonomy: text })),
      media,
      options: list(
        record({
          name: text,
          values: list(record({ label: text }, { available: flag, exists: flag }), { minItems: 1 }),
        }),
      ),
      selected: list(option),
      ...more,
    },
  )

const total = {
  ...record({ type: text, amount: units }),
  // Discounts take something away, and nothing else does.
  if: { properties: { type: oneOf('discount', 'items_discount') } },
  then: { properties: { amount: { exclusiveMaximum: 0 } } },
  else: { properties: { amount: positive } },
}
const once = (type: string): Schema => ({
  contains: { properties: { type: { const: type } } },
  minContains: 1,
  maxContains: 1,
})
const totals = { ...list(total), allOf: [once('subtotal'), once('total')] }
const item = record({ id: text, title: text, price: positive })
const line = record({ id: text, item, quantity: count, totals })
const person = { first_name: text, last_name: text, phone_number: text }
const place = {
  street_address: text,
  extended_address: text,
  address_locality: text,
  address_region: text,
  address_country: text,
  postal_code: text,
}
const buyer = record({}, { ...person, email: text })
const discounts = record(
  {},
  {
    codes: list(text, { minItems: 1 }),
    applied: list(record({ title: text, amount: positive }, { code: text, automatic: flag })),
  },
)
const destination = {
  ...record({ id: text, type: oneOf('shipping_address', 'business_location') }, { ...person, ...place, name: text }),
  if: { properties: { type: { const: 'business_location' } } },
  then: record({ name: text }),
}
const choice = { type: ['string', 'null'] }
const group = record(
  {
    id: text,
    line_item_ids: list(text),
    options: list(record({ id: text, title: text, totals: list(total, { minItems: 1 }) }, { description: text })),
  },
  { selected_option_id: choice },
)
const fulfillment = record({
  methods: list(
    record(
      { id: text, type: oneOf('shipping', 'pickup'), line_item_ids: list(text), groups: list(group, { maxItems: 1 }) },
      { destinations: list(destination, { minItems: 1 }), selected_destination_id: choice },
    ),
  ),
})
const links = list(record({ type: text, url }, { title: text }))
const instrument = record({ id: text, handler_id: text, type: text })

const envelope = (release: Release, more: Record<string, Schema> = {}) => ({
  ...record({
    version: { const: release },
    status: { const: 'success' },
    capabilities: registryOf(record({ version: { const: release } })),
    ...more,
  }),
  properties: {
    version: { const: release },
    status: { const: 'success' },
    capabilities: { ...registryOf(record({ version: { const: release } })), minProperties: 1 },
    ...more,
  },
})
const handler = (release: Release) =>
  record({ id: text, version: { const: release }, available_instruments: list(record({ type: text })) })

const sold = { buyer, discounts, messages, continue_url: url, expires_at: time }

/** By the name of the operation's record. */
const shapes = (release: Release): Record<string, Schema> => ({
  search: record(
    { ucp: envelope(release), products: list(product(variant())) },
    { pagination: record({ has_next_page: flag }, { cursor: text, total_count: positive }), messages },
  ),
  lookup: record({ ucp: envelope(release), products: list(product(variant({ inputs }))) }, { messages }),
  product: record({ ucp: envelope(release), product: product(variant()) }, { messages }),
  cart: {
    ...record({ ucp: envelope(release), id: text, line_items: list(line), currency, totals }, sold),
    not: { anyOf: [{ required: ['status'] }, { required: ['order'] }, { required: ['payment'] }] },
  },
  checkout: {
    ...record(
      {
        ucp: envelope(release, { payment_handlers: registryOf(handler(release)) }),
        id: text,
        status: oneOf('incomplete', 'requires_escalation', 'ready_for_complete', 'completed', 'canceled'),
        line_items: list(line),
        currency,
        totals,
        links,
      },
      {
        ...sold,
        fulfillment,
        payment: record({ instruments: list({ ...instrument, not: { required: ['credential'] } }) }),
        order: record({ id: text, permalink_url: url }, { label: text }),
      },
    ),
    allOf: [
      // An order is there if, and only if, it was placed.
      {
        if: { properties: { status: { const: 'completed' } } },
        then: { required: ['order'] },
        else: { not: { required: ['order'] } },
      },
      {
        if: { properties: { status: { const: 'requires_escalation' } } },
        then: { required: ['continue_url', 'messages'] },
      },
    ],
  },
  order: record({
    ucp: envelope(release),
    id: text,
    checkout_id: text,
    permalink_url: url,
    line_items: list(
      record({
        id: text,
        item,
        quantity: record({ original: positive, total: positive, fulfilled: positive }),
        totals,
        status: oneOf('processing', 'partial', 'fulfilled', 'removed'),
      }),
    ),
    fulfillment: record({
      expectations: list(
        record({
          id: text,
          method_type: oneOf('shipping', 'pickup'),
          destination: record({}, { ...person, ...place }),
          line_items: list(record({ id: text, quantity: count })),
        }),
      ),
      events: list(
        record({ id: text, type: text, occurred_at: time, line_items: list(record({ id: text, quantity: count })) }),
      ),
    }),
    adjustments: list(
      record({ id: text, type: text, occurred_at: time, status: oneOf('pending', 'completed', 'failed') }),
    ),
    currency,
    totals,
  }),
  outcome: {
    ...record(
      { ucp: record({ version: { const: release }, status: { const: 'error' } }), messages },
      { continue_url: url },
    ),
    // There is no record to act on.
    not: { anyOf: [{ required: ['id'] }, { required: ['line_items'] }, { required: ['product'] }] },
  },
})

const problem = record({ code: { type: 'string', pattern: '^[a-z_]+$' }, content: text })

const ajv = new Ajv2020({ strict: false, allErrors: true })
formatsOfAjv.default(ajv)
const validators = new Map<string, ReturnType<typeof ajv.compile>>()

function assertValid(name: string, schema: Schema, body: unknown): void {
  const validate = validators.get(name) ?? ajv.compile(schema)
  validators.set(name, validate)
  const faults = validate(body) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
  assert.deepEqual(faults, [], `${name} ${JSON.stringify(body)}`)
}

const recordNames: Record<string, string> = {
  search_catalog: 'search',
  lookup_catalog: 'lookup',
  get_product: 'product',
}

/** An answer of an operation, by any transport. */
export function assertSpecified(operation: string, release: Release, status: number, body: any): void {
  if (status >= 400) return assertValid('problem', problem, body)
  const name = body.ucp.status === 'error' ? 'outcome' : (recordNames[operation] ?? operation.replace(/^\w+_/, ''))
  assertValid(`${name} of ${release}`, shapes(release)[name]!, body)
  for (const { path } of body.messages ?? []) assert.ok(path === undefined || isOfRoot(path, body), path)
  if (body.totals) assertSums(body)
  // No extension of ours has actions, and lines are sold by the piece.
  assert.ok(!('actions' in body))
}

/** A path is about the answer, or about what the answer lacks. */
function isOfRoot(path: string, body: any): boolean {
  const [, root] = /^\$\.(\w+)/.exec(path) ?? []
  const known = ['line_items', 'buyer', 'fulfillment', 'discounts', 'payment', 'totals', 'product', 'cart_id']
  return root !== undefined && (root in body || known.includes(root))
}

function assertSums({ totals, line_items }: { totals: Total[]; line_items: SoldLine[] }): void {
  const total = amountOf(totals, 'total')
  assert.equal(sum(totals.filter(({ type }) => type !== 'total').map(({ amount }) => amount)), total)
  for (const { item, quantity, totals: own } of line_items) {
    if (typeof quantity === 'number') assert.equal(amountOf(own, 'subtotal'), item.price * quantity)
  }
}

type Total = { type: string; amount: number }
type SoldLine = { item: { price: number }; quantity: number | object; totals: Total[] }

const amountOf = (totals: readonly Total[], type: string) => totals.find((one) => one.type === type)!.amount
const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0)
