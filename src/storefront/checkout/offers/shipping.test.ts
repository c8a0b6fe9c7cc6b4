import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, faultsOf, home, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { openWorld } from '../../../../test/world.ts'
import type { CheckoutFieldLevels } from '../../../tenancy/stores/checkoutfields.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { freeRate } from '../../../commerce/orders/rate.ts'
import type { Offer, OfferedRate } from './offer.ts'
import { emptyLoad } from '../../../commerce/orders/load.ts'
import { computeShippingCost } from '../../../commerce/orders/shippingcost.ts'
import { firstDestination, methodsWith, missingFields, ratesTo } from './shipping.ts'

const world = await openWorld()

const rate = (code: string, more: Partial<OfferedRate> = {}): OfferedRate => ({ code, ...freeRate, price: 10, ...more })
const asking: CheckoutFieldLevels = {
  phone: 'optional',
  company: 'hidden',
  address_2: 'hidden',
  postal_code: 'optional',
  province: 'optional',
  tax_id: 'hidden',
}
const methods = ['cod', 'cash', 'card'].map((code) => ({ code, name: null, provider: 'manual', instructions: null }))
const offering = (
  shipping_rates: OfferedRate[],
  { has_own_methods = true, ...asked }: Partial<Offer & CheckoutFieldLevels> = {},
) =>
  ({
    shipping_rates,
    payment_methods: methods,
    has_own_methods,
    custom_fields: [] as unknown,
    tax_zones: [] as unknown,
    asking: { ...asking, ...asked },
  }) as Offer

test('a rate ships where it says, everywhere when it names nothing, and anywhere while no country is known', () => {
  const offer = offering([rate('home', { country_codes: ['MX'] }), rate('world')])
  const codes = (country: string | null) => ratesTo(offer, country).map(({ code }) => code)
  assert.deepEqual(
    [codes('MX'), codes('US'), codes(null), codes('')],
    [['home', 'world'], ['world'], codes('MX'), codes('MX')],
  )
  assert.deepEqual(firstDestination(offer, 'US'), {
    country_code: 'US',
    shipping_method: 'world',
    payment_method: 'cod',
  })
  const abroad = offering([rate('home', { country_codes: ['MX'] })])
  assert.deepEqual(firstDestination(abroad, 'US'), {
    country_code: 'MX',
    shipping_method: 'home',
    payment_method: 'cod',
  })
})

test('a rate is paid as it says, in any way when it names none, and in any way while none is chosen', () => {
  const pickup = rate('pickup', { payment_methods: ['cash', 'gone'] })
  const offer = offering([pickup])
  const codes = (chosen: OfferedRate | null) => methodsWith(offer, chosen).map(({ code }) => code)
  assert.deepEqual([codes(pickup), codes(rate('world')), codes(null)], [['cash'], ['cod', 'cash', 'card'], codes(null)])
  assert.equal(firstDestination(offer, 'US').payment_method, 'cash')
})

test('shipping is free from a sum on or by a code, else the price in the unit of the currency', () => {
  const cost = (more: Partial<OfferedRate>, goods: number, isWaived = false, currency = 'USD') =>
    computeShippingCost(rate('one', more), {
      load: emptyLoad,
      goods: new Decimal(goods),
      isWaived,
      currency,
    }).toNumber()
  assert.deepEqual(
    [cost({}, 5), cost({}, 5, true), cost({ price: 9.995 }, 5), cost({ price: 9.5 }, 5, false, 'JPY')],
    [10, 0, 10, 10],
  )
  assert.deepEqual(
    [99.99, 100, 100.01].map((goods) => cost({ free_from: 100 }, goods)),
    [10, 0, 0],
  )
  assert.equal(cost({ free_from: 0 }, 0), 0)
})

test('each thing that is missing is named, and nothing else', () => {
  const offer = offering([rate('standard', { country_codes: ['MX'] }), rate('pickup', { requires_address: false })])
  const { customer, shipping_address } = buyer()
  const whole = { items: [{}], customer, shipping_address, shipping_method: 'standard', payment_method: 'cod' }
  const fields = (more: object, of = offer) =>
    missingFields({ ...whole, ...more }, of, ratesTo(of, 'MX')).map(({ field }) => field)
  assert.deepEqual(fields({}), [])
  assert.deepEqual(fields({ items: [] }), ['items'])
  assert.deepEqual(fields({ customer: { ...customer, email: null } }), [])
  assert.deepEqual(fields({ customer: { name: ' ', email: '', phone: null } }), ['customer.email', 'customer.name'])
  const street = ['address', 'city', 'postal_code', 'province'].map((name) => `shipping_address.${name}`)
  assert.deepEqual(fields({ shipping_address: { country_code: 'MX' } }), street)
  assert.deepEqual(fields({ shipping_address: null, shipping_method: 'pickup' }), [])
  assert.deepEqual(fields({ shipping_address: null, shipping_method: null }), ['shipping_method'])
  assert.deepEqual(fields({ payment_method: null }), ['payment_method'])
  assert.deepEqual(fields({ payment_method: null }, offering(offer.shipping_rates, { has_own_methods: false })), [])
  const nowhere = offering([rate('standard', { country_codes: ['CA'] })])
  assert.deepEqual(fields({ shipping_method: null }, nowhere), ['shipping_address.country_code'])
})

test('what the store asks for is missing until it is there, of an address only where one is needed', () => {
  const { customer, shipping_address } = buyer()
  const whole = { items: [{}], customer, shipping_address, shipping_method: 'standard', payment_method: 'cod' }
  const rates = [rate('standard'), rate('pickup', { requires_address: false })]
  const told = (asked: Partial<CheckoutFieldLevels>, more: object = {}) =>
    missingFields({ ...whole, ...more }, offering(rates, asked), rates).map(({ field, code }) => `${field} ${code}`)
  const all = { phone: 'required', company: 'required', address_2: 'required' } as const
  const bare = { ...customer, phone: null }
  assert.deepEqual(told(all), ['shipping_address.company required', 'shipping_address.address_2 required'])
  assert.deepEqual(told(all, { shipping_method: 'pickup', customer: bare }), ['customer.phone required'])
  assert.deepEqual(told({ postal_code: 'required' }, { shipping_address: { ...home, postal_code: ' ' } }), [
    'shipping_address.postal_code required',
  ])
  // An e-mail or a phone; the phone where it is required; the e-mail where no phone is asked for.
  const nobody = { ...customer, email: null, phone: null }
  const nameless = { customer: nobody }
  assert.deepEqual(told({}, nameless), ['customer.email contact_required'])
  assert.deepEqual(told({ phone: 'required' }, nameless), ['customer.phone required'])
  assert.deepEqual(told({ phone: 'hidden' }, nameless), ['customer.email required'])
})

test('what PostgreSQL keeps of a rate ships and costs in a checkout as it does here', async () => {
  const shop = await world.newStore({ country_code: 'MX', currency: 'MXN' })
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: (await productOf(shop, { price: 50 })).id, quantity: 2 }]
  await shop.api.post('/v1/discounts', { code: 'SHIP', type: 'free_shipping', value: 0 })
  await shop.api.post('/v1/discounts', { code: 'CENT', type: 'fixed_amount', value: 0.01 })
  const rates = [null, 0, 99.99, 100, 100.01].flatMap((free_from, at) =>
    [[], ['MX'], ['US', 'CA']].map((country_codes, to) =>
      rate(`r${at}${to}`, { name: 'R', free_from, country_codes, price: 7.25 }),
    ),
  )
  for (const [position, one] of rates.entries()) {
    assert.equal((await shop.api.post('/v1/store/shipping-rates', { ...one, position })).status, 201)
  }
  const { data: facts } = await shopper.get()
  assert.deepEqual(
    facts.shipping_rates,
    rates.map((one) => ({ ...one, name: 'R' })),
  )
  for (const country_code of [null, 'MX', 'US', 'CA', 'ES']) {
    for (const [discount_code, goods] of [
      [null, 100],
      ['SHIP', 100],
      ['CENT', 99.99],
    ] as const) {
      const { data } = await shopper.begin({ items, discount_code, shipping_address: { ...home, country_code } })
      const parcel = { load: emptyLoad, goods: new Decimal(goods), isWaived: discount_code === 'SHIP', currency: 'MXN' }
      const expected = ratesTo(offering(rates), country_code ?? 'MX').map((one) => ({
        code: one.code,
        price: computeShippingCost(one, parcel).toNumber(),
        arrives_from: null,
        arrives_to: null,
      }))
      assert.deepEqual(data.shipping_costs, expected, `${country_code} ${discount_code}`)
      for (const { code, price } of expected.slice(0, 3)) {
        assert.equal((await shopper.change(data.token, { shipping_method: code })).data.shipping, price)
      }
    }
  }
  const { token } = (await shopper.begin({ items, ...buyer(), shipping_method: 'r02' })).data ?? {}
  assert.equal(token, undefined)
  const refused = await shopper.begin({ items, ...buyer(), shipping_method: 'r02' })
  assert.deepEqual(faultsOf(refused), ['shipping_method: does not ship to MX'])
})
