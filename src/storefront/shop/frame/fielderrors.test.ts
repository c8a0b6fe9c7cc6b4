// What the operations refuse, and what a shopper reads of it: the one follows the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, home, productOf } from '../../../../test/checkouts.ts'
import { openWorld, secretKey, type TestStore } from '../../../../test/world.ts'
import { checkoutChanges, completion, newCheckout } from '../../checkout/checkout.ts'
import { completeCheckout } from '../../checkout/settlement/complete.ts'
import { changeCheckout, createCheckout } from '../../checkout/cart/operations.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import type { Tx } from '../../../kit/database/database.ts'
import type { JsonSchema } from '../../../kit/declare/field.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { priceIn } from '../../../kit/values/prices.ts'
import { vault } from '../../../kit/values/secrets.ts'
import { languages } from '../../../kit/values/language.ts'
import { formatReason } from '../../../kit/values/faults.ts'
import { allSentences } from '../../../../test/sentences.ts'
import { texts } from './formrows.ts'
import { fieldErrors, wordings } from './fielderrors.ts'
import { shopTranslator } from './messages.ts'

const world = await openWorld()

const english = { t: shopTranslator('en'), price: priceIn('en', { currency: 'USD', country_code: 'US' }) }

const terms = { baseUrl: 'https://shop.example', abandonAfterSeconds: 1800, expireAfterSeconds: 86_400 }
const deps = { vault: vault(secretKey), checkout: terms }
const system = { kind: 'system', id: 'storefront' } as const

/** A shopper whose faults are seen before they are put into English. */
function shopperOf({ store }: TestStore) {
  const context = () => ({ ...store, now: world.clock.now() })
  const inTransaction = <T>(run: (tx: Tx) => Promise<T>) => world.app.db.transaction(run)
  return {
    begin: async (body: unknown): Promise<Checkout> =>
      inTransaction((tx) => createCheckout(tx, store, newCheckout.read(body, context()), deps)),
    change: async (token: string, body: unknown) =>
      inTransaction((tx) => changeCheckout(tx, store, token, checkoutChanges.read(body, context()), deps)),
    complete: async (token: string, body: object = {}) =>
      inTransaction((tx) => completeCheckout(tx, store, token, completion.read(body, context()), deps, system)),
  }
}

async function shown(refused: Promise<unknown>): Promise<Record<string, string>> {
  const error: unknown = await refused.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ApiError && error.status === 422, String(error))
  return fieldErrors(english, error.faults)
}

test('every reason why a code gives nothing has its words', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(shop)
  const [product, other] = [await productOf(shop, { price: 20 }), await productOf(shop)]
  const hour = 3600_000,
    from = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString()
  const codes: [string, object, string][] = [
    ['NONE', {}, 'This code doesn’t exist.'],
    ['OFF', { is_active: false }, 'This code doesn’t exist.'],
    ['EARLY', { starts_at: from(hour) }, 'This code isn’t active yet.'],
    ['EXPIRED', { starts_at: from(-2 * hour), expires_at: from(-hour) }, 'This code has expired.'],
    ['USED', { max_uses: 1 }, 'This code has reached its usage limit.'],
    ['LARGE', { min_order_amount: 50 }, 'Spend at least $50.00 to use this code.'],
    ['OTHER', { applicable_product_ids: [other.id] }, 'This code doesn’t apply to the items in your cart.'],
  ]
  for (const [code, fields] of codes.slice(1)) {
    const { status, error } = await shop.api.post('/v1/discounts', { code, type: 'percentage', value: 10, ...fields })
    assert.equal(status, 201, JSON.stringify(error))
  }
  await shop.api.post('/v1/orders', { items: [{ product_id: product.id, quantity: 1 }], discount_code: 'USED' })
  for (const [code, , words] of codes) {
    const refused = shopper.begin({ items: [{ product_id: product.id, quantity: 1 }], discount_code: code })
    assert.deepEqual(await shown(refused), { discount_code: words }, code)
  }
})

test('every reason why a line cannot be bought has its words', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(shop)
  const [gone, few] = [await productOf(shop, { stock: 0 }), await productOf(shop, { stock: 2 })]
  const draft = await productOf(shop, { product_status: 'draft' })
  const refused = shopper.begin({
    items: [
      { product_id: gone.id, quantity: 1 },
      { product_id: few.id, quantity: 3 },
      { product_id: draft.id, quantity: 1 },
      { product_id: 'prod_00000000000000000000000000', quantity: 1 },
    ],
  })
  assert.deepEqual(Object.entries(await shown(refused)).sort(), [
    ['items.0.quantity', 'Sold out'],
    ['items.1.quantity', 'Only 2 left'],
    ['items.2.product_id', 'This item is no longer for sale. Remove it to continue.'],
    ['items.3.product_id', 'This item is no longer for sale. Remove it to continue.'],
  ])
})

test('every field of the form has words for what is wrong with it', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(shop)
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5, country_codes: ['MX'] })
  await shop.api.post('/v1/store/shipping-rates', { code: 'express', price: 9, country_codes: ['MX'] })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  await shop.api.patch('/v1/store', { test_payments: true })
  await shop.api.post('/v1/store/payment-methods', { code: 'card', provider: 'test' })
  const product = await productOf(shop)
  const { token } = await shopper.begin({ items: [{ product_id: product.id, quantity: 1 }] })
  assert.deepEqual(await shown(shopper.complete(token)), {
    'customer.email': 'Enter your email or phone number.',
    'customer.name': 'Enter your name.',
    'shipping_address.address': 'Enter your address.',
    'shipping_address.city': 'Enter your city.',
    'shipping_address.country_code': 'Choose a country.',
    shipping_method: 'Choose a shipping method.',
    payment_method: 'Choose a payment method.',
  })
  const methods = { shipping_method: 'standard', payment_method: 'card' }
  const form = { customer: ana, shipping_address: { country_code: 'MX' }, ...methods }
  await shopper.change(token, form)
  assert.deepEqual(await shown(shopper.complete(token)), {
    'shipping_address.address': 'Enter your address.',
    'shipping_address.city': 'Enter your city.',
    'shipping_address.postal_code': 'Enter your postal code.',
    'shipping_address.province': 'Choose your state or province.',
  })
  const misplaced = { postal_code: '123', province: 'Nowhere' }
  assert.deepEqual(await shown(shopper.complete(token, { shipping_address: { ...home, ...misplaced } })), {
    'shipping_address.postal_code': 'Enter a postal code such as 02860.',
    'shipping_address.province': 'Choose your state or province.',
  })
  assert.deepEqual(await shown(shopper.change(token, { customer: { email: null, phone: null } })), {
    'customer.email': 'Enter your email or phone number.',
  })
  const wrong = { customer: { email: 'ana@', phone: 'x', name: 'x'.repeat(201) }, order_bumps: ['bump_x'] }
  assert.deepEqual(await shown(shopper.change(token, wrong)), {
    'customer.email': 'Enter a valid email, such as ana@example.com.',
    'customer.phone': 'Enter a phone number with 6 to 15 digits.',
    'customer.name': 'Use at most 200 characters.',
    'order_bumps.0': 'This offer has ended.',
  })
  const abroad = { shipping_address: { country_code: 'US' }, shipping_method: 'standard' }
  assert.deepEqual(await shown(shopper.change(token, abroad)), { shipping_method: 'Choose a shipping method.' })
  await shopper.change(token, { shipping_address: home })
  assert.deepEqual(await shown(shopper.complete(token, { pay: 'fail' })), {
    payment_method: 'Your payment was declined. Try again or choose another payment method.',
  })
  assert.deepEqual(await shown(shopper.complete(token, { total: 1 })), {
    total: 'The total is now $25.00. Review it and place your order again.',
  })
  await shop.api.patch(`/v1/products/${product.id}`, { price: 21 })
  assert.deepEqual(await shown(shopper.complete(token)), {
    'items.0.unit_price': 'The price has changed from $20.00 to $21.00.',
    total: 'The total is now $26.00. Review it and place your order again.',
  })
})

test('whatever is typed into the form is told what is wrong with it, in every language', () => {
  const context = { currency: 'USD', timezone: 'UTC', country_code: 'US', now: new Date() }
  const typed = [' ', 'x', 'XX', 'usd', '@', 'ana@', '1'.repeat(41), 'x'.repeat(5000), '-', 'ñ'.repeat(300)]
  const refused = texts.flatMap((name) =>
    typed.flatMap((value) => {
      const [outer, inner] = name.split('.') as [string, string | undefined]
      const body = { [outer]: inner === undefined ? value : { [inner]: value } }
      try {
        checkoutChanges.read(body, context)
        return []
      } catch (error) {
        assert.ok(error instanceof ApiError)
        return error.faults
      }
    }),
  )
  assert.ok(refused.some(({ code }) => code === 'no_country') && refused.some(({ code }) => code === 'too_long'))
  for (const language of languages) {
    const t = shopTranslator(language)
    for (const fault of refused) {
      const words = fieldErrors({ ...english, t }, [fault])[fault.field]
      assert.notEqual(words, t('field_bad'), `${fault.field}: ${fault.code}`)
    }
  }
})

test('every field that a shopper can fill in has a row of words', () => {
  const fields = [newCheckout, checkoutChanges, completion].flatMap(({ schema }) => fieldsOf(schema))
  assert.deepEqual(
    fields.filter((field) => !(field in wordings)),
    [],
  )
})

/** `customer.email`, `items.*.quantity` */
function fieldsOf(schema: JsonSchema, at = ''): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema }
  const inner = items ? { ...properties, '*': items } : properties
  return Object.entries(inner).flatMap(([name, part]) => {
    const path = at === '' ? name : `${at}.${name}`
    return [path, ...fieldsOf(part, path)]
  })
}

/** The {names} that a text asks for. */
function namesOf(fill: (values: Record<string, string>) => string): string[] {
  const names = new Set<string>()
  fill(new Proxy({}, { has: () => true, get: (_, name) => String(names.add(String(name)).size) }))
  return [...names]
}

test('every word for a code names only what the fault carries, in every language', async () => {
  const sentences = new Map((await allSentences()).map(({ code, text }) => [code, text]))
  for (const row of Object.values(wordings)) {
    for (const [code, word] of Object.entries(row)) {
      const carried = code === 'else' ? [] : namesOf((values) => formatReason({ text: sentences.get(code)!, values }))
      for (const language of languages) {
        const asked = namesOf((values) => shopTranslator(language)(word, values))
        assert.deepEqual(
          asked.filter((name) => !carried.includes(name)),
          [],
          `${code}: ${word}`,
        )
      }
    }
  }
})
