// Numbers are read and shown as the reader's language writes them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { staffOf, type Shown } from '../../../test/staff.ts'
import { openWorld } from '../../../test/world.ts'
import { languages } from '../../kit/values/language.ts'
import { getCurrencyExponent } from '../../kit/values/money.ts'
import { formatNumber, readNumber } from '../assets/numbers.ts'
import { withPlainNumbers } from './filters.ts'

const world = await openWorld()
const [{ store, api }, peso] = [await world.newStore({ currency: 'KWD' }), await world.newStore({ currency: 'MXN' })]
const ana = await staffOf(world, [{ store }, peso])

const faultIn = ({ text }: Shown) => text.match(/class="(?:fault|notice error)"[^>]*>[^<]*/g)?.join(' ')

const fieldOf = (applies_to: string, key: string) => ({ applies_to, key, label: key, type: 'number' })
await api.post('/v1/store/custom-fields', fieldOf('product', 'depth'))
await api.post('/v1/store/custom-fields', fieldOf('variant', 'height'))
const commas = languages.filter((language) => language !== 'en')

test('what is shown is read as the same number, in every language and currency', () => {
  const wholes = [0, 1, 12, 123, 999, 1000, 1234, 12_345, 123_456, 1_234_567, 999_999_999_999]
  const parts = [0, 0.1, 0.5, 0.9, 0.05, 0.25, 0.99, 0.001, 0.5, 0.125, 0.299, 0.999, 0.0001, 0.1234]
  const values = [...wholes.flatMap((whole) => parts.map((part) => Number((whole + part).toFixed(4)))), 1e-7, 1e21, 0.3]
  for (const language of languages) {
    for (const decimals of [0, ...['JPY', 'EUR', 'KWD', 'CLF'].map(getCurrencyExponent)]) {
      for (const value of values.flatMap((one) => [one, 0 - one])) {
        const text = formatNumber(value, language, decimals)
        assert.equal(readNumber(text, language), value, `${language} ${text}`)
      }
    }
  }
})

test('amounts have the decimals of their currency and lose none of their own', () => {
  const cases: [value: number, currency: string, english: string][] = [
    [39, 'USD', '39.00'],
    [94.9, 'USD', '94.90'],
    [39.5, 'JPY', '39.5'],
    [1299, 'JPY', '1299'],
    [1.0005, 'USD', '1.0005'],
    [1.299, 'KWD', '1.299'],
    [4.9, 'KWD', '4.900'],
  ]
  for (const [value, currency, english] of cases) {
    const show = (language: string) => formatNumber(value, language, getCurrencyExponent(currency))
    assert.equal(show('en'), english)
    for (const language of commas) assert.equal(show(language), english.replace('.', ','), language)
  }
})

test('a sign before three digits means thousands, unless it is the decimal sign of the language', () => {
  const cases: [text: string, comma: number | string, english: number | string][] = [
    ['1.299', 1299, 1.299],
    ['1,299', 1.299, 1299],
    ['30.000', 30_000, 30],
    ['-2.500', -2500, -2.5],
    ['4.90', 4.9, 4.9],
    ['4,90', 4.9, 4.9],
    ['.5', 0.5, 0.5],
    [',5', 0.5, 0.5],
    ['5.', 5, 5],
    ['0.125', 0.125, 0.125],
    ['0,125', 0.125, 0.125],
    ['1234.567', 1234.567, 1234.567],
    ['1.234,50', 1234.5, 1234.5],
    ['1,234.50', 1234.5, 1234.5],
    ['1.234.567', 1_234_567, 1_234_567],
    ['1,234,567', 1_234_567, 1_234_567],
    ['1 234,5', 1234.5, 1234.5],
    ['1\u202f234\u202f567,89', 1_234_567.89, 1_234_567.89],
    ['1\u00a0234', 1234, 1234],
    ["1'234.50", 1234.5, 1234.5],
    ['1’234', 1234, 1234],
    [' 12 ', 12, 12],
  ]
  for (const [text, comma, english] of cases) {
    for (const language of languages)
      assert.equal(readNumber(text, language), language === 'en' ? english : comma, `${language} ${text}`)
  }
})

test('other texts stay as they are', () => {
  const texts = [
    '',
    '1.2.3',
    '1,23,4',
    '1.2345,6,7',
    '12 34',
    '1 2',
    '1.234 567',
    '1,234.5.6',
    '.',
    ',',
    '-',
    'a',
    '1e3',
  ]
  for (const language of languages) for (const text of texts) assert.equal(readNumber(text, language), text, text)
})

test('the address of a list has the numbers of the API', () => {
  assert.equal(withPlainNumbers('/orders?total[gte]=1.299'), '/orders?total[gte]=1.299')
  const typed = withPlainNumbers('/orders?search=a&total[gte]:de=1.299&total[lte]:de=')
  assert.equal(decodeURIComponent(typed), '/orders?search=a&total[gte]=1299')
})

/** All fields of the form that saves the screen, as a browser without a script sends them. */
function savedFields({ text }: Shown): Record<string, string[]> {
  const form = text.split(/<form\b(?!-)/).find((part) => part.includes('name="act" value="save"'))!
  const plain = form.split('</form>')[0]!.replaceAll(/<template>[^]*?<\/template>/g, '')
  const fields: Record<string, string[]> = {}
  const add = (name: string | undefined, value = '') => {
    if (name) (fields[name] ??= []).push(value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
  }
  for (const [, about] of plain.matchAll(/<input([^>]*)>/g)) {
    const read = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(about!)?.[1]
    if (!/type="(checkbox|radio)"/.test(about!) || / checked/.test(about!)) add(read('name'), read('value'))
  }
  for (const [, name, value] of plain.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>\n([^<]*)</g)) add(name, value)
  for (const [, name, options] of plain.matchAll(/<select[^>]*name="([^"]*)"[^>]*>([^]*?)<\/select>/g))
    add(name, /value="([^"]*)" selected/.exec(options!)?.[1] ?? /value="([^"]*)"/.exec(options!)?.[1])
  return fields
}

const records: [api: string, screen: string, body: Record<string, unknown>][] = [
  [
    '/v1/products',
    '/products',
    {
      name: 'Cup',
      price: 1.299,
      compare_price: 1234.567,
      supplier_cost: 12_345,
      weight: 1250,
      custom_fields: { depth: 1.125 },
      options: [{ title: 'Size', values: ['S', 'M'] }],
      variants: [
        {
          option_values: [{ option_title: 'Size', value: 'S' }],
          price: 2.499,
          weight: 30_000,
          custom_fields: { height: 1.95 },
        },
        { option_values: [{ option_title: 'Size', value: 'M' }], price: 1000, custom_fields: { height: 1.955 } },
      ],
    },
  ],
  ['/v1/discounts', '/discounts', { code: 'TEN', type: 'fixed_amount', value: 1.125, min_order_amount: 2500 }],
  [
    '/v1/store/shipping-rates',
    '/settings/checkout/shipping',
    {
      code: 'standard',
      name: 'Mail',
      price_by: 'weight',
      price: 1.25,
      max_weight: 30_000,
      tiers: [
        { from: 0, price: 4.9 },
        { from: 2000, price: 1.299 },
      ],
    },
  ],
  [
    '/v1/store/tax-zones',
    '/settings/checkout/taxes/zones',
    { name: 'Zone', country_code: 'CH', components: [{ name: 'A', rate: 8.125 }] },
  ],
]

for (const [address, screen, body] of records) {
  test(`${screen}: saving an untouched form changes nothing in any language`, async () => {
    const { id } = dataOf(await api.post(address, body), 201)
    const before = dataOf(await api.get(`${address}/${id}`), 200)
    const path = `/${store.id}${screen}/${id}`
    for (const language of languages) {
      const inLanguage = { 'accept-language': language }
      const fields = savedFields(await ana.get(path, inLanguage))
      const saved = await ana.post(path, fields, inLanguage)
      assert.equal(saved.status, 303, faultIn(saved))
      // With other hashes of what was shown, all values are sent.
      const again = savedFields(await ana.get(path, inLanguage))
      const seen = (again.seen?.[0] ?? '').replaceAll(/(?<!stocks):\S+/g, ':x')
      const whole = await ana.post(path, { ...again, seen }, inLanguage)
      assert.equal(whole.status, 303, faultIn(whole))
      const now = dataOf(await api.get(`${address}/${id}`), 200)
      assert.deepEqual(withoutTimes(now), withoutTimes(before), language)
    }
  })
}

const withoutTimes = (value: object) =>
  JSON.parse(JSON.stringify(value, (key, one) => (key === 'updated_at' ? undefined : one)))

test('a form reads thousands and decimals as its language writes them', async () => {
  const product = dataOf(await peso.api.post('/v1/products', { name: 'Cup', price: 1 }), 201)
  const path = `/${peso.store.id}/products/${product.id}`
  const cases: [language: string, typed: string, read: number, shown: string][] = [
    ['de', '1.299', 1299, '1299,00'],
    ['de', '1.234,50', 1234.5, '1234,50'],
    ['de', '4.90', 4.9, '4,90'],
    ['en', '1,299', 1299, '1299.00'],
    ['en', '1,234.50', 1234.5, '1234.50'],
    ['en', '4,90', 4.9, '4.90'],
    ['fr', '1\u202f234,50', 1234.5, '1234,50'],
  ]
  for (const [language, typed, read, shown] of cases) {
    const inLanguage = { 'accept-language': language }
    const fields = savedFields(await ana.get(path, inLanguage))
    const saved = await ana.post(path, { ...fields, price: typed }, inLanguage)
    assert.equal(saved.status, 303, faultIn(saved))
    assert.equal(dataOf(await peso.api.get(`/v1/products/${product.id}`), 200).price, read)
    assert.deepEqual(savedFields(await ana.get(path, inLanguage)).price, [shown])
  }
  const fields = savedFields(await ana.get(path, { 'accept-language': 'de' }))
  const refused = await ana.post(path, { ...fields, price: '1.2.3' }, { 'accept-language': 'de' })
  assert.equal(refused.status, 422)
  assert.deepEqual(savedFields(refused).price, ['1.2.3'])
})

test('a list is filtered by numbers as typed', async () => {
  await peso.api.post('/v1/products', { name: 'Dear', price: 5000 })
  const list = `/${peso.store.id}/products?${new URLSearchParams({ 'price[gte]:de': '2.000', 'price[lte]:de': '' })}`
  const { text } = await ana.get(list, { 'accept-language': 'de' })
  assert.match(text, /Dear/)
  assert.doesNotMatch(text, />Cup</)
  assert.match(text, /name="price\[gte\]:de" type="text" value="2000"/)
})
