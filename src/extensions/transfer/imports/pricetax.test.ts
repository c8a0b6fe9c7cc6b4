// Prices with tax and without it: a file says which they are, or is asked about, and they are converted on demand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/client.ts'
import { previewed, settled } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

async function openStore(tax: { tax_rate: number; tax_included: boolean }) {
  const shop = await world.newStore({ currency: 'EUR' })
  dataOf(await shop.api.patch('/v1/store', tax), 200)
  return shop
}

const codesOf = ({ warnings }: any) => warnings.map(({ column, code }: any) => [column, code])

/** The prices of the products once the import is done, with the warnings on the way. */
async function importPrices(api: Client, text: string, action: 'convert' | 'keep' | null) {
  const { id, ...first } = await previewed(world, api, text, { kind: 'products' })
  const columns = first.warnings.map(({ column }: any) => column)
  const fixes = action ? columns.map((column: string) => ({ action, column })) : []
  if (fixes.length > 0) dataOf(await api.patch(`/v1/imports/${id}`, { fixes }), 200)
  const ready = await settled(world, api, id)
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  await settled(world, api, id)
  const { data } = await api.get('/v1/products?status=all&sort=name&order=asc')
  return { asked: codesOf(first), told: codesOf(ready), prices: data.map(({ price }: any) => price) }
}

const prestashop = 'Name,Reference,Price (tax excl.)\nCup,C,9.99\nMug,M,10\n'

test('prices without tax are taken as they are, or the rate of a store whose prices include it is added', async () => {
  const tax = { tax_rate: 19, tax_included: true }
  const column = 'Price (tax excl.)'
  const asIs = await importPrices((await openStore(tax)).api, prestashop, null)
  assert.deepEqual(asIs, { asked: [[column, 'tax_excluded']], told: [[column, 'tax_excluded']], prices: [9.99, 10] })
  const kept = await importPrices((await openStore(tax)).api, prestashop, 'keep')
  assert.deepEqual([kept.told, kept.prices], [[[column, 'prices_kept']], [9.99, 10]])
  const converted = await importPrices((await openStore(tax)).api, prestashop, 'convert')
  // 9.99 × 1.19 = 11.8881
  assert.deepEqual([converted.told, converted.prices], [[[column, 'tax_added']], [11.89, 11.9]])
})

test('prices with tax lose the rate of a store that adds it', async () => {
  const { api } = await openStore({ tax_rate: 20, tax_included: false })
  const text = 'Titel;Artikelnummer;Bruttopreis\nMug;M;12,00\n'
  const { asked, told, prices } = await importPrices(api, text, 'convert')
  assert.deepEqual([asked, told, prices], [[['Bruttopreis', 'tax_included']], [['Bruttopreis', 'tax_removed']], [10]])
})

test('of two columns, the one that is as the prices of the store are is read, and nothing is asked', async () => {
  const both = 'Name,Reference,Price (tax excl.),Price (tax incl.)\nMug,M,10,12\n'
  for (const [tax_included, price] of [
    [true, 12],
    [false, 10],
  ] as const) {
    const { api } = await openStore({ tax_rate: 20, tax_included })
    const { asked, prices } = await importPrices(api, both, null)
    assert.deepEqual([asked, prices], [[], [price]])
  }
})

test('a system whose setting decides is asked about, unless the store has no tax rate', async () => {
  const woocommerce = 'ID,Type,SKU,Name,Regular price,Sale price\n1,simple,M,Mug,10,8\n'
  const { api } = await openStore({ tax_rate: 25, tax_included: true })
  const { asked, prices } = await importPrices(api, woocommerce, 'convert')
  assert.deepEqual([asked.map(([, code]: string[]) => code), prices], [['tax_unknown', 'tax_unknown'], [10]])
  const untaxed = await openStore({ tax_rate: 0, tax_included: true })
  assert.deepEqual((await importPrices(untaxed.api, woocommerce, null)).asked, [])
})

test("a price list in the store's own fields is never asked about", async () => {
  const { api } = await openStore({ tax_rate: 19, tax_included: true })
  assert.deepEqual((await importPrices(api, 'sku,name,price\nM,Mug,5\n', null)).asked, [])
})
