import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceIn } from './prices.ts'

const price = (language: 'en' | 'es', country_code: string, currency: string, amount: number | string) =>
  priceIn(language, { country_code, currency })(amount).replaceAll(/[\u00a0\u202f]/g, ' ')

test("amounts are written as in the store's country", () => {
  assert.equal(price('en', 'US', 'USD', 1500.5), '$1,500.50')
  assert.equal(price('es', 'MX', 'MXN', 1500.5), '$1,500.50')
  assert.equal(price('es', 'ES', 'EUR', '1500.5'), '1500,50 €')
  assert.equal(price('en', 'JP', 'JPY', 1500), '¥1,500')
  assert.equal(price('en', 'KW', 'KWD', 1.5), 'KWD 1.500')
})

test('a minor unit that is usually omitted is shown if it is not zero', () => {
  assert.equal(price('es', 'CO', 'COP', 150000), '$ 150.000')
  assert.equal(price('es', 'CO', 'COP', 1500.5), '$ 1.500,50')
})
