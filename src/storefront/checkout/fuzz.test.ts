import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ana, home, productOf, shopperOf } from '../../../test/checkouts.ts'
import { client } from '../../../test/client.ts'
import { openWorld } from '../../../test/world.ts'
import { fc } from '../../../test/random.ts'

const world = await openWorld()

const awkward = fc.oneof(
  fc.constantFrom(null, '', ' ', '\0', '\ud800', '__proto__', '%', '_', "'", 1e308, -0, 2 ** 63, 1e-300, true, [], {}, [
    [],
  ]),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.double(),
  fc.integer(),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Mostly what fits, sometimes anything. */
const or = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 25, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: awkward })

/** Input that completes an order by itself. */
const whole = (productId: string) => ({
  items: [{ product_id: productId, quantity: 1 }],
  customer: ana,
  shipping_address: home,
})

const bodyOf = (productId: string, bumpId: string) =>
  or(
    fc.record(
      {
        items: or(
          fc.array(
            or(
              fc.record(
                {
                  product_id: or(fc.constant(productId)),
                  variant_id: or(fc.constant(null)),
                  quantity: or(fc.integer({ min: 1, max: 9999 })),
                  bump_id: or(fc.constant(null)),
                },
                { requiredKeys: [] },
              ),
            ),
            { maxLength: 4 },
          ),
        ),
        customer: or(
          fc.record(
            { name: or(fc.string()), email: or(fc.emailAddress()), phone: or(fc.constant(ana.phone)) },
            { requiredKeys: [] },
          ),
        ),
        shipping_address: or(
          fc.record(
            {
              address: or(fc.string()),
              city: or(fc.string()),
              country: or(fc.string()),
              country_code: or(fc.constantFrom('MX', 'US', 'CA')),
              postal_code: or(fc.constantFrom('06600', 'V5K 0A1')),
              province: or(fc.string()),
            },
            { requiredKeys: [] },
          ),
        ),
        discount_code: or(fc.constantFrom('TEN', 'ten', null)),
        shipping_method: or(fc.constantFrom('standard', 'express', null)),
        payment_method: or(fc.constantFrom('cod', 'test', null)),
        order_bumps: or(fc.array(or(fc.constant(bumpId)), { maxLength: 3 })),
        tax_id: or(fc.constantFrom('FR40303265045', 'XAXX010101000', null)),
        customer_notes: or(fc.string()),
        locale: or(fc.constantFrom('es', 'en')),
        total: or(fc.constantFrom(1e6, 0.01)),
        pay: or(fc.constantFrom('ok', 'fail')),
      },
      { requiredKeys: [] },
    ),
  )

test('no body makes a 5xx, each refusal names its fields, and sums always add up', async () => {
  const shop = await world.newStore({ currency: 'MXN', country_code: 'MX' })
  const { id } = await productOf(shop, { price: 33.33 })
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_id: 'DE111111125' })
  await shop.api.post('/v1/store/tax-zones', { name: 'IVA', country_code: 'MX', rate: 16, included: true })
  await shop.api.post('/v1/store/tax-zones', { name: 'GST', country_code: 'CA', rate: 5, postal_codes: ['V'] })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  await shop.api.post('/v1/store/shipping-rates', {
    code: 'standard',
    price: 99.99,
    free_from: 1000,
    country_codes: ['MX'],
  })
  await shop.api.patch('/v1/store', { test_payments: true })
  await shop.api.post('/v1/store/payment-methods', { code: 'test', provider: 'test', name: 'Test' })
  const bump = (await shop.api.post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 0.01 })).data
  let orders = 0
  const property = fc.asyncProperty(
    bodyOf(id, bump.id),
    bodyOf(id, bump.id),
    // Some are completed with all that an order takes, so that sums are looked at beyond the draft too.
    fc.oneof({ weight: 4, arbitrary: bodyOf(id, bump.id) }, { weight: 1, arbitrary: fc.constant(whole(id)) }),
    async (first, second, third) => {
      const shopper = shopperOf(world, shop)
      const begun = await shopper.begin(first)
      const { token } = begun.status === 201 ? begun.data : (await shopper.begin(whole(id))).data
      const answers = [
        begun,
        await shopper.change(token, second),
        await shopper.read(token),
        await shopper.complete(token, third),
      ]
      if (answers[3]!.status === 201) orders++
      for (const { status, body, error, data } of answers) {
        assert.ok([200, 201, 422].includes(status), JSON.stringify(body))
        if (status === 422)
          assert.ok(
            error.details.every(({ field, message }: any) => field && message),
            JSON.stringify(body),
          )
        if (data?.totals) assertSum(data.totals)
      }
    },
  )
  await fc.assert(property, { numRuns: 150 })
  assert.ok(orders > 0)
  assert.equal((await shop.api.get('/v1/orders/count')).data.count, orders)
})

function assertSum({ subtotal, discount, shipping, tax, total }: Record<string, number>) {
  const cents = (amount = 0) => Math.round(amount * 100)
  assert.equal(cents(total), cents(subtotal) - cents(discount) + cents(shipping) + cents(tax))
  assert.equal(total, Number(total!.toFixed(2)))
}

test('no address makes a 5xx', async () => {
  const { store } = await world.newStore()
  const http = client(world.url, {})
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('%00', '%', '..', '%ff', "'", 'A'.repeat(43), '😀'),
  )
  const encoded = fc.oneof(
    part.filter((text) => text.isWellFormed()).map(encodeURIComponent),
    fc.constantFrom('%00', '%ff', '..', '%25'),
  )
  const paths = fc.oneof(
    encoded.map((slug) => `/storefront/${slug}`),
    encoded.map((name) => `/storefront/${store.slug}/products/${name}`),
    encoded.map((token) => `/storefront/${store.slug}/checkouts/${token}`),
    fc
      .tuple(fc.constantFrom('search', 'category', 'page', 'per_page', 'sort', 'is_featured'), encoded)
      .map(([name, value]) => `/storefront/${store.slug}/products?${name}=${value}`),
  )
  await fc.assert(
    fc.asyncProperty(paths, async (path) => {
      world.clock.advance(1)
      const { status, body } = await http.get(path)
      assert.ok([200, 404, 422].includes(status), `${path}: ${JSON.stringify(body)}`)
    }),
    { numRuns: 300 },
  )
})
