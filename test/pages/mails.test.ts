// Letters as a mail program shows them, and the page that sends the link of an order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailKinds } from '../../src/tenancy/emails/kinds.ts'
import { accessibilityFaults, openChromium } from '../chromium.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

const words = { subject: 'Order {number}', introduction: `${'Thank you very much. '.repeat(20)}${'x'.repeat(200)}` }

test('every letter is legible and accessible on a phone and a desktop, by day and by night', async () => {
  const shop = await world.newStore({ name: 'Casa Nogal', currency: 'MXN', country_code: 'MX' })
  await shop.api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'CLABE 0123\nBanco Nogal' })
  await shop.api.patch('/v1/store/mails/order_confirmation', { en: words, es: words })
  const logo = `http://shop.example/media/${shop.store.id}/${'a'.repeat(32)}-600x180-aabbcc/600.jpg`
  const look = { logo, accent_color: '#7a4a1e', legal_name: 'Casa Nogal S.A.', contact_address: 'x'.repeat(200) }
  assert.equal((await shop.api.patch('/v1/store/appearance', look)).status, 200)
  // Each look sees every kind in one of the languages.
  const looks = [{ width: 390 }, { width: 390, dark: true }, { width: 800 }, { width: 800, dark: true }]
  for (const [index, look] of looks.entries()) {
    const context = await openChromium(look)
    await context.route('**/media/**', (route) => route.abort())
    const page = await context.newPage()
    for (const [position, kind] of mailKinds.entries()) {
      const language = ['en', 'es'][(index + position) % 2]
      const { data } = await shop.api.get(`/v1/store/mails/${kind}/preview?language=${language}`)
      await page.setContent(data.html)
      const about = `${kind} ${language} ${JSON.stringify(look)}`
      assert.deepEqual(await accessibilityFaults(page), [], about)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, about)
    }
    await context.close()
  }
})

test('the page that sends the link of an order needs no script and is accessible in both languages', async () => {
  const shop = await world.newStore()
  for (const [lang, finding, label, button] of [
    ['en', 'Find your order', 'Order number', 'Send link'],
    ['es', 'Busca tu pedido', 'Número de pedido', 'Enviar enlace'],
  ] as const) {
    for (const javaScript of [true, false]) {
      const context = await openChromium({ javaScript, width: 390, dark: javaScript })
      const page = await context.newPage()
      await page.goto(`${world.url}/s/${shop.store.slug}?lang=${lang}`)
      await page.locator('footer').getByRole('link', { name: finding }).click()
      if (javaScript) assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByLabel(label).fill('none')
      await page.getByRole('button', { name: button }).click()
      assert.equal(await page.locator('[aria-invalid=true]').count(), 2)
      if (javaScript) assert.deepEqual(await accessibilityFaults(page), [])
      await page.locator('#email').fill('ana@example.com')
      await page.getByLabel(label).fill('1001')
      await page.getByRole('button', { name: button }).click()
      assert.match(await page.locator('main').innerText(), /ana@example\.com/)
      await context.close()
    }
  }
})
