import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal, getCurrencyExponent, round, sum, toNumber, withDecimals } from './money.ts'

test('amounts are rounded half-up to the currency of ISO 4217', () => {
  const cases: [number, string, string][] = [
    [1500.5, 'USD', '1500.5'],
    [1.005, 'USD', '1.01'],
    [2.675, 'USD', '2.68'],
    [0.004, 'USD', '0'],
    [1234.5, 'JPY', '1235'],
    [1.0005, 'KWD', '1.001'],
    [1.00005, 'CLF', '1.0001'],
    [10.5, 'COP', '10.5'],
    [10.55, 'HUF', '10.55'],
  ]
  for (const [amount, currency, rounded] of cases) {
    assert.equal(round(amount, currency).toString(), rounded, `${amount} ${currency}`)
  }
})

test('a currency without an entry has two decimals', () => {
  assert.equal(getCurrencyExponent('MXN'), 2)
})

test('sums are exact', () => {
  assert.equal(toNumber(sum([0.1, 0.2])), 0.3)
  assert.equal(toNumber(sum(Array(1000).fill('999999999.99'))), 999999999990)
})

test('amounts of a row become Decimal, null stays null, and other columns stay as they are', () => {
  const row = { id: '1', total: '0.10' as Decimal.Value, refunded: null }
  assert.deepEqual(withDecimals(row, ['total', 'refunded']), { id: '1', total: new Decimal('0.1'), refunded: null })
})
