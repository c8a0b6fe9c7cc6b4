// A shop with a face, as people see it who see little, or who have only a keyboard: contact, pages, policies, opening.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../chromium.ts'
import { send } from '../uploads.ts'
import { openWorld } from '../world.ts'
import { fill, openShop, phone, textOf, visiting, withoutScript, type Shop } from './casa-nogal.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

const markdown = `# Who we are

Since **1998**, see [a mug](/products/enamel-mug) and [write](/contact).

1. One
2. Two

> Quoted

| Takes | Costs |
|---|---|
| 2 days | $6 |

\`\`\`
code that is rather long and goes on and on and on and on and on and on and on and on and on
\`\`\``

async function openFace(options: Parameters<typeof openShop>[1] = {}): Promise<Shop> {
  const shop = await openShop(world, options)
  const { data } = await send(shop.api)
  const { status, error } = await shop.api.patch('/v1/store/appearance', {
    accent_color: '#8a3324',
    announcement: 'Free shipping this week',
    announcement_link: '/pages/shipping',
    hero_image: data.url,
    hero_title: 'Good morning',
    hero_text: 'Fresh things.',
    legal_name: 'Casa Nogal LLC',
    contact_email: 'hello@casa.example',
    contact_phone: '+52 55 1234 5678',
    contact_address: 'Calle 60 no. 482\nMérida',
    social_links: ['https://social.example/casa'],
  })
  assert.equal(status, 200, JSON.stringify(error))
  await shop.api.post('/v1/pages', { title: 'About us', body: markdown })
  await shop.api.post('/v1/pages', { title: 'Shipping', kind: 'shipping', body: markdown })
  await shop.api.post('/v1/pages', { title: 'Terms of sale', kind: 'terms', body: markdown })
  const header_menu = ['/categories/kitchen', '/pages/about-us'].map((link) => ({ label: link.split('/')[2]!, link }))
  await shop.api.patch('/v1/store/menus', { header_menu, footer_menu: header_menu })
  await shop.api.patch(`/v1/products/${shop.mug.id}`, { is_featured: true })
  return shop
}

const message = { name: 'Ana Torres', email: 'ana@example.com', message: 'Is it waterproof?' }
const messagesOf = async ({ api }: Shop) => (await api.get('/v1/mails?kind=contact_message')).data

/** Every new page, in each state that it has. */
const states: Record<string, (page: Page, shop: Shop) => Promise<unknown>> = {
  home: (page, { url }) => page.goto(url),
  contact: (page, { url }) => page.goto(`${url}/contact`),
  'contact with faults': async (page, { url }) => {
    await page.goto(`${url}/contact`)
    await page.locator('main form button').click()
    await page.locator('.fault').first().waitFor()
    // The answer is a page of its own: it is measured with its style.
    await page.waitForLoadState()
  },
  'contact, sent': async (page, { url }) => page.goto(`${url}/contact?sent=1`),
  'a page': (page, { url }) => page.goto(`${url}/pages/about-us`),
  'a policy': (page, { url }) => page.goto(`${url}/pages/terms-of-sale`),
}

const widthOf = (page: Page) => page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)

for (const dark of [false, true]) {
  const when = dark ? 'by night' : 'by day'
  test(`nothing of the new pages is closed to anybody, ${when} and in forced colours`, async () => {
    const shop = await openFace()
    await visiting({ dark }, async (page) => {
      for (const [name, open] of Object.entries(states)) {
        await open(page, shop)
        assert.deepEqual(await accessibilityFaults(page), [], name)
        await page.emulateMedia({ forcedColors: 'active' })
        assert.deepEqual(await accessibilityFaults(page), [], `${name} in forced colours`)
        await page.emulateMedia({ forcedColors: 'none' })
      }
    })
  })
}

test('the new pages are as wide as the narrowest phone, also with letters twice as large', async () => {
  const shop = await openFace({ country_code: 'MX', currency: 'MXN' })
  for (const width of [320, 390, 1280]) {
    await visiting({ width, locale: 'es-MX' }, async (page) => {
      for (const [name, open] of Object.entries(states)) {
        await open(page, shop)
        assert.ok((await widthOf(page)) <= width, `${name} is ${await widthOf(page)} wide of ${width}`)
        await page.evaluate(() => ((globalThis as any).document.documentElement.style.fontSize = '200%'))
        assert.ok((await widthOf(page)) <= width, `${name} is ${await widthOf(page)} wide of ${width} at 200 %`)
      }
    })
  }
})

test('the picture that opens the home page has the form that the page gives it, whatever its own is', async () => {
  const shop = await openFace()
  for (const width of [390, 1280]) {
    await visiting({ width }, async (page) => {
      await page.goto(shop.url)
      const { width, height } = (await page.locator('.hero img').boundingBox())!
      assert.ok(Math.abs(width / height - 16 / 9) < 0.02, `${width} × ${height}`)
    })
  }
})

test('a message is written with the keyboard alone, without a script', async () => {
  const shop = await openFace()
  await visiting({ ...phone, ...withoutScript }, async (page) => {
    await page.goto(shop.url)
    await page.getByRole('link', { name: 'Contact', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/contact$/)
    await page.locator('#name').focus()
    await page.keyboard.type(message.name)
    await page.keyboard.press('Tab')
    await page.keyboard.type('ana@')
    await page.keyboard.press('Tab')
    await page.keyboard.type(message.message)
    // The next is the button: nobody comes by the field that is a trap.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('#email-fault').waitFor()
    assert.equal(await textOf(page, '#email-fault'), 'Enter a valid email, such as ana@example.com.')
    assert.equal(await page.locator('#email').getAttribute('aria-describedby'), 'email-fault')
    assert.equal(await page.locator(':focus').getAttribute('id'), 'email')
    assert.equal(await page.locator('#message').inputValue(), message.message)
    await page.locator('#email').fill(message.email)
    await page.keyboard.press('Enter')
    await page.waitForURL(/sent=1/)
    assert.equal(await textOf(page, 'h1'), 'Message sent')
  })
  assert.equal((await messagesOf(shop)).length, 1)
})

test('with a script too, and the way back is home', async () => {
  const shop = await openFace()
  await visiting({}, async (page) => {
    await page.goto(`${shop.url}/contact`)
    await fill(page, message)
    await page.getByRole('button', { name: 'Send message' }).click()
    await page.waitForURL(/sent=1/)
    await page.reload()
    await page.getByRole('link', { name: 'Continue shopping' }).click()
    assert.equal(await textOf(page, 'h1'), 'Good morning')
  })
  assert.equal((await messagesOf(shop)).length, 1)
})
