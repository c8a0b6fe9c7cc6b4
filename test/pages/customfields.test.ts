// A merchant defines custom fields, fills them in, and shoppers see those that are for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { fillShop, textOf, visiting } from './casa-nogal.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const shots = process.env.SHOTS

test('a field is defined, filled in on a product, and read by shoppers', async () => {
  const { page, ana, base: path } = await enterAs(world, { width: 1200 })
  const shop = await fillShop(world, ana.store)
  const look = async (name: string) =>
    shots && (await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true }))
  await page.goto(`${path}/settings/custom-fields`)
  assert.deepEqual(await accessibilityFaults(page), [])
  await look('overview')
  await page.getByRole('link', { name: 'Fields of products' }).click()
  await page.getByRole('link', { name: 'Add field' }).click()
  await page.locator('[name=label]').fill('Material')
  await page.locator('[name=key]').fill('material')
  await page.locator('[name=type]').selectOption('Text')
  await page.locator('[name=visibility]').selectOption('Shoppers too')
  await page.locator('[name=is_required]').check()
  assert.deepEqual(await accessibilityFaults(page), [])
  await look('form')
  await page.getByRole('main').getByRole('button', { name: 'Add field' }).click()
  await page.getByRole('link', { name: 'Material' }).waitFor()
  const more = [
    { key: 'fit', label: 'Fit', type: 'choice', choices: ['Slim', 'Wide'], visibility: 'filter' },
    { key: 'length', label: 'Length (cm)', type: 'number' },
    { key: 'shade', label: 'Shade', type: 'color', visibility: 'filter' },
    { key: 'handmade', label: 'Handmade', type: 'boolean', visibility: 'filter' },
    { key: 'made_on', label: 'Made on', type: 'date' },
    { key: 'maker', label: 'Maker', type: 'url' },
    { key: 'care', label: 'Care', type: 'text', description: 'As on the label' },
    { key: 'origin', label: 'Supplier', type: 'text', visibility: 'staff' },
  ]
  for (const [position, one] of more.entries()) {
    const field = { applies_to: 'product', visibility: 'shop', position: position + 1, ...one }
    dataOf(await shop.api.post('/v1/store/custom-fields', field), 201)
  }
  await page.reload()
  await look('list')
  const { data: mug } = await shop.api.post('/v1/products', {
    name: 'Scarf',
    price: 30,
    custom_fields: { material: 'Wool' },
  })
  await page.goto(`${path}/products/${mug.id}`)
  const field = (key: string) => page.locator(`[name="custom_fields.${key}"]`)
  await field('material').fill('Linen')
  await field('fit').selectOption('Wide')
  await field('length').fill('180,5')
  await field('shade').fill('#AA3311')
  await field('handmade').selectOption('Yes')
  await field('made_on').fill('2026-03-01')
  await field('maker').fill('maker.example')
  await field('care').fill('Wash cold\nDry flat')
  await field('origin').fill('Oaxaca')
  await look('product')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.locator('[name="custom_fields.maker"][aria-invalid="true"]').waitFor()
  await look('rejected')
  assert.equal(await field('care').inputValue(), 'Wash cold\nDry flat')
  await field('maker').fill('https://maker.example/linen')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.locator('#said').getByText('Saved').first().waitFor()
  const { custom_fields } = (await shop.api.get(`/v1/products/${mug.id}`)).data
  assert.deepEqual(custom_fields, {
    material: 'Linen',
    fit: 'Wide',
    length: 180.5,
    shade: '#aa3311',
    handmade: true,
    made_on: '2026-03-01',
    maker: 'https://maker.example/linen',
    care: 'Wash cold\nDry flat',
    origin: 'Oaxaca',
  })
  await visiting({ width: 1200 }, async (visitor) => {
    await visitor.goto(`${shop.url}/products/scarf`)
    const text = await textOf(visitor, '.facts')
    assert.equal(
      text,
      'Material Linen Fit Wide Length (cm) 180.5 Shade #aa3311 Handmade Yes ' +
        'Made on March 1, 2026 Maker maker.example Care Wash cold Dry flat',
    )
    assert.deepEqual(await accessibilityFaults(visitor), [])
    if (shots) await visitor.screenshot({ path: `${shots}/shop.png`, fullPage: true })
    assert.match(
      await visitor.content(),
      /"additionalProperty":\[\{"@type":"PropertyValue","name":"Material","value":"Linen"\}/,
    )
    assert.doesNotMatch(await visitor.content(), /Oaxaca/)
    await visitor.goto(`${shop.url}?min=1`)
    await visitor.getByText('Filter', { exact: false }).first().click()
    await visitor.getByRole('group', { name: 'Fit' }).getByLabel('Wide').check()
    await visitor.getByRole('group', { name: 'Handmade' }).getByLabel('Yes').check()
    assert.deepEqual(await accessibilityFaults(visitor), [])
    if (shots) await visitor.screenshot({ path: `${shots}/filters.png`, fullPage: true })
    await visitor.locator('.filters').getByRole('button', { name: 'Show' }).click()
    await visitor.getByText('1 product', { exact: true }).waitFor()
    await visitor.getByRole('link', { name: 'Scarf' }).first().waitFor()
  })
})
