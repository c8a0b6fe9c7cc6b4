// Several discount codes in the cart, at checkout and in a draft order, with a script and without.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { openWorld } from '../world.ts'
import {
  addProduct,
  ana,
  fieldOf,
  fill,
  openShop,
  ordersOf,
  phone,
  place,
  textOf,
  toCheckout,
  visiting,
  withoutScript,
  type Shop,
} from './casa-nogal.ts'
import { enterAs, typeTokens } from './merchant.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })
const merchants = await openOauthWorld()

const shoot = async (page: Page, name: string) => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/codes-${name}.png`, fullPage: true })
}

/** WELCOME10 takes 10% off; THREE combines with it, HALF with nothing. */
async function shopWithCodes(): Promise<Shop> {
  const shop = await openShop(world)
  const { data } = await shop.api.get('/v1/discounts')
  const welcome = data.find(({ code }: any) => code === 'WELCOME10')
  dataOf(await shop.api.patch(`/v1/discounts/${welcome.id}`, { combines_with: ['order'] }), 200)
  for (const body of [
    { code: 'THREE', type: 'fixed_amount', value: 3, combines_with: ['order'] },
    { code: 'HALF', type: 'percentage', value: 50 },
  ]) {
    dataOf(await shop.api.post('/v1/discounts', body), 201)
  }
  return shop
}

const codes = async (page: Page) => {
  const texts = await page.locator('p.row:has([name=remove_code])').allInnerTexts()
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())
}
const chip = (page: Page, code: string) => page.locator('p.row', { has: page.locator(`[value="${code}"]`) })

for (const [name, look] of [
  ['with a script', {}],
  ['without one, on a phone', { ...phone, ...withoutScript }],
] as const) {
  test(`codes are added and removed in the cart and at checkout, each says what it does, ${name}`, async () => {
    const shop = await shopWithCodes()
    const hasScript = name === 'with a script'
    await visiting(look, async (page) => {
      await addProduct(page, shop)
      const enter = async (code: string) => {
        await fieldOf(page, 'discount_code').fill(code)
        await fieldOf(page, 'discount_code').press('Enter')
      }
      await enter('nope')
      await page.locator('#discount_code-fault').waitFor()
      assert.equal(await textOf(page, '#discount_code-fault'), 'This code doesn’t exist.')
      assert.equal(await fieldOf(page, 'discount_code').inputValue(), 'nope')
      await enter('welcome10')
      await chip(page, 'WELCOME10').waitFor()
      assert.equal(await fieldOf(page, 'discount_code').inputValue(), '')
      await fieldOf(page, 'discount_code').fill('three')
      await page.getByRole('button', { name: 'Apply' }).click()
      await chip(page, 'THREE').waitFor()
      assert.deepEqual(await codes(page), ['WELCOME10 −$1.40 Remove WELCOME10', 'THREE −$3.00 Remove THREE'])
      assert.equal(await textOf(page, '#total'), '$9.60')
      await shoot(page, `cart-${hasScript}`)
      if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])

      await page.locator('button[value=checkout]').click()
      await page.waitForURL(/\/checkout$/)
      assert.equal((await codes(page)).length, 2)
      await enter('half')
      await chip(page, 'HALF').waitFor()
      assert.deepEqual(await codes(page), [
        'WELCOME10 This code can’t be combined with HALF. Remove WELCOME10',
        'THREE This code can’t be combined with HALF. Remove THREE',
        'HALF −$7.00 Remove HALF',
      ])
      await shoot(page, `checkout-${hasScript}`)
      if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])
      await chip(page, 'HALF').getByRole('button').click()
      await chip(page, 'HALF').waitFor({ state: 'detached' })
      // Another order has changed what a code does: the checkout says it, and the order waits.
      const { data } = await shop.api.get('/v1/discounts')
      const three = data.find(({ code }: any) => code === 'THREE')
      await shop.api.patch(`/v1/discounts/${three.id}`, { is_active: false })
      await fill(page, ana)
      await page.locator('#place').click()
      await page.locator('#discount_code-fault').waitFor()
      assert.match((await codes(page))[1]!, /^THREE .*Remove THREE$/)
      await shoot(page, `refused-${hasScript}`)
      await chip(page, 'THREE').getByRole('button').click()
      await chip(page, 'THREE').waitFor({ state: 'detached' })
      await place(page)
      assert.match(await textOf(page, '.totals'), /Discount WELCOME10 −\$1\.40/)
    })
    const [order] = await ordersOf(shop)
    assert.deepEqual([order.discount_code, order.discount_amount], ['WELCOME10', 1.4])
  })
}

test('a code that was entered at checkout stands in the cart too', async () => {
  const shop = await shopWithCodes()
  await visiting({ locale: 'es-ES' }, async (page) => {
    await toCheckout(page, shop)
    for (const code of ['WELCOME10', 'HALF']) {
      await fieldOf(page, 'discount_code').fill(code)
      await fieldOf(page, 'discount_code').press('Enter')
      await chip(page, code).waitFor()
    }
    await page.goto(`${shop.url}/cart`)
    assert.match((await codes(page))[0]!, /^WELCOME10 Este código no se puede combinar con HALF\./)
  })
})

for (const look of [{ width: 1280 }, { width: 390, javaScript: false }]) {
  const how = look.javaScript === false ? 'without a script' : 'with one'
  test(`a draft takes several codes and says what each does, ${how}`, async () => {
    const { page, base, heard, ana: merchant } = await enterAs(merchants, look)
    const { api } = merchant.store
    const cup = dataOf(await api.post('/v1/products', { name: 'Cup', price: 50 }), 201)
    for (const body of [
      { code: 'TEN', type: 'percentage', value: 10, combines_with: ['shipping'] },
      { code: 'FIVE', type: 'percentage', value: 5 },
      { code: 'SHIP', type: 'free_shipping', value: 0, combines_with: ['order'] },
    ]) {
      dataOf(await api.post('/v1/discounts', body), 201)
    }
    const body = { customer_email: 'ben@example.com', items: [{ product_id: cup.id, quantity: 1 }] }
    const draft = dataOf(await api.post('/v1/draft-orders', body), 201)
    await page.goto(`${base}/orders/drafts/${draft.id}`)
    const field = page.getByLabel('Discount codes', { exact: true })
    const hasScript = look.javaScript !== false
    await (hasScript ? typeTokens(field, ['ten', 'five', 'ship']) : field.fill('ten\nfive\nship'))
    if (hasScript) await page.locator('#draft .send button', { hasText: '45' }).waitFor()
    await page.locator('#draft .send button').click()
    await page.locator('#draft [data-total]', { hasText: 'TEN: Saves $5.00' }).waitFor()
    const said = await page.locator('#draft [data-total]').last().innerText()
    assert.deepEqual(said.split('\n'), [
      'TEN: Saves $5.00',
      'SHIP: Shipping is free',
      'FIVE: Not applied: a better discount applies',
    ])
    await shoot(page, `draft-${look.width}`)
    if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])
    assert.deepEqual(dataOf(await api.get(`/v1/draft-orders/${draft.id}`), 200).discount_codes, ['TEN', 'FIVE', 'SHIP'])
    await (hasScript ? typeTokens(field, ['none']) : field.fill('ten\nnone'))
    await page.locator('#draft .send button').click()
    await page.locator('.fault', { hasText: 'Code not found' }).first().waitFor()
    assert.deepEqual(heard, [])
  })
}
