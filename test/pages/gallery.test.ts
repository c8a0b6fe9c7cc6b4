// The pictures of a product and the pages of collections, as people use them: with a script and without, by keys alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../chromium.ts'
import { madeReady, noisyPicture, send } from '../uploads.ts'
import { openWorld } from '../world.ts'
import { openShop, phone, textOf, visiting, withoutScript } from './casa-nogal.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

const image = (name: string) => `https://images.example/${name}.jpg`

/** A vase of five pictures in two glazes, with a picture of their own each, in a collection with the mug. */
async function openVase() {
  const shop = await openShop(world)
  const glaze = (value: string) => [{ option_title: 'Glaze', value }]
  const { data: vase } = await shop.api.post('/v1/products', {
    name: 'Vase',
    price: 40,
    gallery: ['front', 'back', 'top', 'mark', 'room'].map(image),
    variants: [{ option_values: glaze('White') }, { option_values: glaze('Blue'), image: image('blue') }],
  })
  const { data: table } = await shop.api.post('/v1/collections', {
    name: 'Table',
    description: 'What stands on it',
    image: image('table'),
  })
  await shop.api.post(`/v1/collections/${table.id}/products`, { product_ids: [vase.id, shop.mug.id, shop.shirt.id] })
  return { ...shop, vase, url: shop.url }
}

const linksOf = (page: Page) =>
  page.locator('.gallery .whole').evaluateAll((links: any[]) => links.map((link) => link.href))
const widthOf = (page: Page) => page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)
/** Which picture of those over the page is seen. */
const seen = (page: Page) =>
  page.locator('.strip').evaluate((strip: any) => Math.round(strip.scrollLeft / strip.clientWidth))

async function settledAt(page: Page, place: number) {
  await page.waitForFunction((at) => {
    const strip = (globalThis as any).document.querySelector('.strip')
    return Math.abs(strip.scrollLeft - at * strip.clientWidth) < 2
  }, place)
  assert.equal(await seen(page), place)
}

test('without a script each picture is a link to all of it, and a chosen variant shows its own first', async () => {
  const { url, vase } = await openVase()
  await visiting({ width: 320, ...withoutScript }, async (page) => {
    await page.goto(`${url}/products/vase`)
    const names = ['front', 'back', 'top', 'mark', 'room', 'blue']
    assert.deepEqual(await linksOf(page), names.map(image))
    assert.equal(await page.locator('#large').isVisible(), false)
    await page.goto(`${url}/products/vase?variant=${vase.variants[1].id}`)
    assert.equal((await linksOf(page))[0], image('blue'))
    await page.getByRole('radio', { name: 'White' }).check({ force: true })
    await page.getByRole('button', { name: 'Show price' }).click()
    await page.waitForURL(/option/)
    assert.equal((await linksOf(page))[0], image('front'))
    assert.ok((await widthOf(page)) <= 320)
    await page.locator('.whole').first().click()
    await page.waitForURL(image('front'))
  })
})

test('with a script the pictures open over the page, and keys, buttons and Escape go through them', async () => {
  const { url } = await openVase()
  await visiting({ width: 320 }, async (page) => {
    await page.goto(`${url}/products/vase`)
    const second = page.locator('.whole').nth(1)
    await second.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Images' }).waitFor()
    await settledAt(page, 1)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.keyboard.press('ArrowRight')
    await settledAt(page, 2)
    await page.keyboard.press('ArrowLeft')
    await settledAt(page, 1)
    await page.getByRole('button', { name: 'Next' }).click()
    await settledAt(page, 2)
    await page.keyboard.press('Escape')
    await page.locator('#large').waitFor({ state: 'hidden' })
    assert.equal(await second.evaluate((link: any) => link.ownerDocument.activeElement === link), true)
    await second.click()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.locator('#large').waitFor({ state: 'hidden' })
    // In a new tab it is a link as any other, which the browser opens or not.
    await page.evaluate(
      "addEventListener('click', (event) => (window.isOurs = event.defaultPrevented), { once: true })",
    )
    await second.click({ modifiers: ['Control'] })
    assert.equal(await page.evaluate('window.isOurs'), false)
    assert.equal(await page.locator('#large').isVisible(), false)
  })
})

test('the picture of a variant comes first when it is chosen', async () => {
  const { url } = await openVase()
  await visiting({}, async (page) => {
    await page.goto(`${url}/products/vase`)
    await page.getByRole('radio', { name: 'Blue' }).check({ force: true })
    assert.equal((await linksOf(page))[0], image('blue'))
    await page.getByRole('radio', { name: 'White' }).check({ force: true })
    assert.equal((await linksOf(page))[0], image('front'))
    assert.equal((await linksOf(page)).length, 6)
  })
})

test('collections, categories and what stands beside a product have no barrier that axe finds', async () => {
  const { url } = await openVase()
  for (const look of [
    { width: 320, dark: true },
    { ...phone, ...withoutScript },
    { width: 1280, dark: true },
  ]) {
    await visiting(look, async (page) => {
      for (const path of ['', '/collections/table', '/products/vase', '/categories/kitchen']) {
        await page.goto(url + path)
        // axe is a script itself.
        if (!('javaScript' in look)) assert.deepEqual(await accessibilityFaults(page), [], `${path} ${look.width}`)
        assert.ok((await widthOf(page)) <= look.width, `${path} is wider than ${look.width}`)
      }
    })
  }
  await visiting(withoutScript, async (page) => {
    await page.goto(url)
    await page.getByRole('link', { name: 'Table' }).click()
    assert.equal(await textOf(page, '.lead'), 'What stands on it')
    await page.getByRole('link', { name: /Vase/ }).click()
    await page
      .locator('.beside')
      .getByRole('link', { name: /Enamel mug/ })
      .click()
    assert.equal(await textOf(page, 'h1'), 'Enamel mug')
  })
})

test('an uploaded picture that heads a page keeps its form on a phone and on a desktop', async () => {
  const shop = await openShop(world)
  const { data: picture } = await send(shop.api, await noisyPicture(800, 900))
  await madeReady(shop.api, picture.id)
  await shop.api.post('/v1/categories', { name: 'Garden', image: picture.url })
  for (const width of [320, 1280]) {
    await visiting({ width }, async (page) => {
      await page.goto(`${shop.url}/categories/garden`)
      const { width: wide, height } = (await page.locator('.hero img').boundingBox())!
      assert.ok(Math.abs(wide / height - 16 / 9) < 0.02, `${wide} × ${height}`)
    })
  }
})
