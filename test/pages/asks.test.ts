// What the checkout and the cart ask, say and keep, where only a browser shows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../chromium.ts'
import { openWorld } from '../world.ts'
import {
  addProduct,
  ana,
  fieldOf,
  fill,
  leave,
  openShop,
  ordersOf,
  phone,
  place,
  refreshed,
  textOf,
  toCheckout,
  visiting,
  withoutScript,
} from './casa-nogal.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

const focusOf = (page: Page) => page.evaluate(() => (globalThis as any).document.activeElement.id as string)
const invalidOf = (page: Page) =>
  page.locator('[aria-invalid]').evaluateAll((fields) => fields.map((field) => (field as any).name as string))
const painted = (page: Page) =>
  page.evaluate(async () => {
    const next = () => new Promise((done) => (globalThis as any).requestAnimationFrame(done))
    for (let frame = 0; frame < 3; frame += 1) await next()
  })
const answered = (page: Page) => page.waitForResponse((answer) => answer.url().endsWith('/checkout'))

test('the checkout asks for what the store chooses, in the order of an address, and demands it', async () => {
  const shop = await openShop(world)
  const labels = async (page: Page) =>
    (await page.locator('.steps .field label').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    const rest = ['Country', 'Address', 'City', 'State', 'ZIP code']
    assert.deepEqual((await labels(page)).slice(0, 8), ['Email or phone', 'Full name', ...rest, 'Phone (optional)'])
    assert.equal(await fieldOf(page, 'customer.email').getAttribute('aria-required'), null)

    await shop.api.patch('/v1/store/checkout', { phone: 'hidden', province: 'hidden', postal_code: 'hidden' })
    await page.reload()
    // What the country's addresses need stays.
    const few = ['Email', 'Full name', 'Country', 'Address', 'City', 'State', 'ZIP code']
    assert.deepEqual((await labels(page)).slice(0, 7), few)
    assert.equal(await fieldOf(page, 'customer.email').getAttribute('aria-required'), 'true')
    await page.locator('#place').click()
    assert.equal(await textOf(page, '[id="customer.email-fault"]'), 'Enter your email.')

    const all = { phone: 'required', company: 'required', address_2: 'required', postal_code: 'required' }
    await shop.api.patch('/v1/store/checkout', { ...all, province: 'optional' })
    await page.goto(`${shop.url}/checkout`)
    assert.deepEqual((await labels(page)).slice(0, 10), [
      'Email (optional)',
      'Full name',
      'Country',
      'Company',
      'Address',
      'Apartment, suite, etc.',
      'City',
      'State',
      'ZIP code',
      'Phone',
    ])
    await fill(page, { ...ana, 'shipping_address.postal_code': '' })
    await page.locator('#place').click()
    assert.deepEqual(await page.locator('.fault').allInnerTexts(), [
      'Enter a company name.',
      'Enter your apartment, suite, or floor.',
      'Enter your postal code.',
      'Enter your phone number.',
    ])
    assert.deepEqual(await accessibilityFaults(page), [])
    await fill(page, {
      'customer.phone': '+52 55 1234 5678',
      'shipping_address.company': 'Torres y Cía.',
      'shipping_address.address_2': 'Floor 3',
      'shipping_address.postal_code': '62704',
    })
    await place(page)
    assert.match(await textOf(page, 'main'), /Ana Torres Torres y Cía\. Main Street 12 Floor 3 Springfield, IL 62704/)
  })
})

test('a long form is as wide as a phone, also the narrowest', async () => {
  const shop = await openShop(world)
  await shop.api.patch('/v1/store/checkout', { company: 'optional', address_2: 'optional' })
  await visiting({ width: 320, locale: 'es-MX' }, async (page) => {
    await toCheckout(page, shop)
    const width = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)
    assert.ok(width <= 320, `it is ${width} wide`)
  })
})

test('the sum at the top of a phone follows every choice', async () => {
  const shop = await openShop(world)
  await visiting(phone, async (page) => {
    await toCheckout(page, shop)
    assert.equal(await textOf(page, '.peek'), 'Your order $20.00')
    await page.getByRole('radio', { name: 'Express' }).check()
    await page.locator('#total', { hasText: '$29.00' }).waitFor()
    assert.equal(await textOf(page, '.peek'), 'Your order $29.00')
  })
})

test('while somebody types, each field is marked by itself, and a mark goes with its fault', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    const wrong = answered(page)
    await fieldOf(page, 'customer.email').fill('ana@@x')
    await fieldOf(page, 'customer.email').blur()
    await wrong
    await page.locator('#announced', { hasText: 'Check 1 field.' }).waitFor()
    assert.deepEqual(await invalidOf(page), ['customer.email'])
    assert.equal(await fieldOf(page, 'customer.email').getAttribute('aria-describedby'), 'customer.email-fault')
    assert.equal(await textOf(page, '.fault'), 'Enter a valid email, such as ana@example.com.')

    await page.locator('#place').click()
    await page.locator('#announced', { hasText: 'Check 6 fields.' }).waitFor()
    await leave(page, 'customer.name', 'Ana Torres').catch(() => {})
    await page.locator('#announced', { hasText: 'Check 5 fields.' }).waitFor()
    const parts = ['address', 'city', 'province', 'postal_code'].map((part) => `shipping_address.${part}`)
    const still = ['customer.email', ...parts]
    assert.deepEqual(await invalidOf(page), still)
    assert.equal(await page.locator('.fault').count(), 5)
    await fill(page, ana)
    await page.locator('.fault').first().waitFor({ state: 'detached' })
    await place(page)
  })
})

test('quantities of the cart change by the keys: nothing is loaded, and the focus stays', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await addProduct(page, shop)
    const loads: string[] = []
    page.on('framenavigated', (frame) => loads.push(frame.url()))
    const quantity = page.getByLabel('Quantity of Enamel mug')
    await quantity.focus()
    for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowUp')
    await page.locator('#total', { hasText: '$70.00' }).waitFor()
    assert.equal(await quantity.inputValue(), '5')
    assert.equal(await focusOf(page), 'line-0')
    assert.equal(await textOf(page, '#cart-link'), 'Cart : 5')
    assert.equal(await textOf(page, '#spoken'), 'Subtotal $70.00')
    await quantity.fill('500')
    await quantity.blur()
    await page.locator('.fault', { hasText: 'We don’t have that many. Choose a smaller quantity.' }).waitFor()
    assert.deepEqual(await invalidOf(page), ['quantity'])
    assert.deepEqual(loads, [])
    await quantity.fill('0')
    await quantity.blur()
    await page.locator('h1', { hasText: 'Cart' }).waitFor()
    await page.getByText('Your cart is empty.').waitFor()
  })
})

test('keys that go through the closed list of orders load nothing; pointing and the button do', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await page.goto(shop.url)
    const loads: string[] = []
    page.on('framenavigated', (frame) => loads.push(frame.url()))
    const sort = page.getByLabel('Sort by')
    await sort.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    assert.equal(await sort.inputValue(), 'price_down')
    assert.equal(await focusOf(page), 'sort')
    assert.deepEqual(loads, [])
    await page.getByRole('button', { name: 'Show' }).press('Enter')
    await page.waitForURL(/sort=price_down/)
    await sort.click()
    await sort.selectOption('name')
    await page.waitForURL(/sort=name/)
  })
})

test('nothing moves on the home page of a phone when the script comes', async () => {
  const shop = await openShop(world)
  await visiting(phone, async (page) => {
    await page.addInitScript(() => {
      const whole = globalThis as any
      whole.moved = 0
      const add = (entries: any[]) => entries.forEach((entry) => (whole.moved += entry.value))
      whole.shifts = new whole.PerformanceObserver((list: any) => add(list.getEntries()))
      whole.shifts.observe({ type: 'layout-shift' })
      whole.takeMoved = () => {
        add(whole.shifts.takeRecords())
        const moved = whole.moved
        whole.moved = 0
        return moved
      }
    })
    const movedSoFar = async () => {
      await painted(page)
      return page.evaluate(() => (globalThis as any).takeMoved() as number)
    }
    // It comes late, when all has been painted: what moves while the page is still being read does not count.
    await page.route('**/script.js', async (route) => {
      await page.waitForFunction(() => (globalThis as any).document.readyState === 'interactive')
      await movedSoFar()
      await route.continue()
    })
    await page.goto(shop.url)
    assert.equal(await movedSoFar(), 0)
  })
})

test('in forced colours the chosen variant and the current category differ from the others', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await page.emulateMedia({ forcedColors: 'active' })
    const looks = (selector: string) =>
      page.locator(selector).evaluateAll((all) =>
        all.map((one) => {
          const { backgroundColor, color, borderColor, outlineStyle } = (globalThis as any).getComputedStyle(one)
          return [backgroundColor, color, borderColor, outlineStyle].join()
        }),
      )
    await page.goto(`${shop.url}/products/shirt`)
    await page.getByRole('radio', { name: 'M', exact: true }).check({ force: true })
    const [, medium, large] = await looks('.chip span')
    assert.notEqual(medium, large)
    await page.goto(`${shop.url}/categories/kitchen`)
    const [all, kitchen] = await looks('.categories a')
    assert.notEqual(kitchen, all)
    await toCheckout(page, shop)
    await fill(page, ana)
    await place(page)
    const [received, confirmed] = await looks('.progress li')
    assert.notEqual(received, confirmed)
  })
})

test('without a connection a choice at the checkout says so, and no more once it is back', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    await page.route('**/checkout', (route) => route.abort())
    await page.getByRole('radio', { name: 'Express' }).check()
    await page.getByRole('alert').filter({ hasText: 'We can’t reach the store.' }).waitFor()
    await page.unroute('**/checkout')
    await Promise.all([refreshed(page), page.getByRole('radio', { name: 'Standard' }).check()])
    await page.locator('#offline').waitFor({ state: 'hidden' })
  }).catch((error: Error) => {
    // The browser itself complains of the request that was cut off.
    if (!/ERR_FAILED/.test(error.message)) throw error
  })
})

test('another language at the checkout keeps what was typed, without a script too', async () => {
  const shop = await openShop(world)
  for (const look of [{}, withoutScript]) {
    await visiting(look, async (page) => {
      await toCheckout(page, shop)
      await fill(page, { ...ana, 'customer.email': 'ana@' })
      await page.getByRole('button', { name: 'Español' }).click()
      await page.getByRole('heading', { name: 'Contacto' }).waitFor()
      assert.equal(await fieldOf(page, 'customer.name').inputValue(), 'Ana Torres')
      assert.equal(await fieldOf(page, 'customer.email').inputValue(), 'ana@')
      await fieldOf(page, 'customer.email').fill('ana@example.com')
      await page.getByRole('button', { name: 'English' }).click()
      await page.getByRole('heading', { name: 'Contact' }).waitFor()
      await place(page)
      assert.equal(await textOf(page, 'h1'), 'Thank you, Ana!')
    })
  }
  assert.equal((await ordersOf(shop)).length, 2)
})

test('another way of shipping brings its ways to pay, and the order says where it is fetched', async () => {
  const shop = await openShop(world)
  const rates = (await shop.api.get('/v1/store/shipping-rates')).data
  const pickup = rates.find(({ code }: any) => code === 'pickup')
  const where = {
    payment_methods: ['card', 'bank_transfer'],
    pickup_address: 'Calle 60 no. 482',
    description: 'From 10 to 18',
  }
  await shop.api.patch(`/v1/store/shipping-rates/${pickup.id}`, where)
  const methods = async (page: Page) =>
    page
      .locator('[name=payment_method]')
      .evaluateAll((all: any[]) => all.map(({ value, checked }) => `${value} ${checked}`))
  await visiting(phone, async (page) => {
    await toCheckout(page, shop)
    assert.deepEqual(await methods(page), ['cod true', 'bank_transfer false', 'card false'])
    await page.getByRole('radio', { name: 'Pickup' }).check()
    await page.getByRole('radio', { name: 'Cash on delivery' }).waitFor({ state: 'detached' })
    assert.deepEqual(await methods(page), ['bank_transfer true', 'card false'])
    assert.equal(await page.locator('[name=shipping_method]:focus').getAttribute('value'), 'pickup')
    assert.deepEqual(await accessibilityFaults(page), [])
    await fill(page, { 'customer.email': 'ana@example.com', 'customer.name': 'Ana Torres' })
    await place(page)
    assert.match(await textOf(page, 'main'), /Bank transfer · not paid yet/)
    assert.match(await textOf(page, 'main'), /Shipping Pickup From 10 to 18 Calle 60 no\. 482/)
  })
  await visiting(withoutScript, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    await page.getByRole('radio', { name: 'Pickup' }).check()
    await page.locator('#place').click()
    assert.match(
      await textOf(page, '#payment'),
      /This payment method isn’t available with the shipping method you chose/,
    )
    assert.deepEqual(await methods(page), ['bank_transfer false', 'card false'])
    await page.getByRole('radio', { name: 'Card' }).check()
    await place(page)
  })
  assert.equal((await ordersOf(shop)).length, 2)
})

test('a code for free shipping is named in the sums, and an offer keeps its picture', async () => {
  const shop = await openShop(world)
  await shop.api.post('/v1/discounts', { code: 'SHIP', type: 'free_shipping', value: 0 })
  const [wrapping] = (await shop.api.get('/v1/store/order-bumps')).data
  await shop.api.patch(`/v1/store/order-bumps/${wrapping.id}`, { image: 'https://images.example/wrap.jpg' })
  const images = (page: Page) =>
    page.locator('.summary img').evaluateAll((all: any[]) => all.map(({ src }) => src.split('/').at(-1)))
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    await Promise.all([refreshed(page), page.getByRole('checkbox', { name: 'Gift wrapping' }).check()])
    await fieldOf(page, 'discount_code').fill('SHIP')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.locator('.totals', { hasText: 'Shipping with SHIP' }).waitFor()
    assert.match(await textOf(page, '.totals'), /Shipping with SHIP Free/)
    await Promise.all([refreshed(page), page.getByRole('radio', { name: 'Express' }).check()])
    await page.locator('#total', { hasText: '$33.00' }).waitFor()
    assert.match(await textOf(page, '.totals'), /Shipping \$15\.00/)
    assert.match(await textOf(page, '.summary'), /SHIP This code makes other shipping methods free\./)
    await Promise.all([refreshed(page), page.getByRole('radio', { name: 'Standard' }).check()])
    assert.deepEqual(await images(page), ['mug.jpg', 'wrap.jpg'])
    await fill(page, ana)
    await place(page)
    assert.match(await textOf(page, '.totals'), /Shipping with SHIP Free/)
    assert.deepEqual(await images(page), ['mug.jpg', 'wrap.jpg'])
  })
})

test('the slug in capitals leads to the store, and an address that cannot be read is a page', async () => {
  const shop = await openShop(world)
  const { slug } = shop.store
  const asBrowser = { headers: { accept: 'text/html' }, redirect: 'manual' } as const
  const moved = await fetch(`${world.url}/s/${slug.toUpperCase()}/cart?x=1`, asBrowser)
  assert.deepEqual([moved.status, moved.headers.get('location')], [301, `/s/${slug}/cart?x=1`])
  const facts = await fetch(`${world.url}/storefront/${slug.toUpperCase()}`, { redirect: 'manual' })
  assert.deepEqual([facts.status, facts.headers.get('location')], [301, `/storefront/${slug}`])
  for (const path of ['/products/%', '/%E0%A4%A', '/categories/%zz']) {
    const unread = await fetch(`${shop.url}${path}`, asBrowser)
    assert.equal(unread.status, 404)
    assert.match(unread.headers.get('content-type')!, /text\/html/)
    assert.match(await unread.text(), /Page not found/)
  }
  assert.equal((await fetch(`${shop.url}?page=99`, asBrowser)).status, 404)
})

test('the province is chosen from a list that follows the country, with a script and without', async () => {
  const shop = await openShop(world)
  await shop.api.post('/v1/store/tax-zones', { name: 'Sales tax', country_code: 'US', rate: 10, provinces: ['NY'] })
  const province = 'shipping_address.province'
  const texts = (page: Page) => fieldOf(page, province).locator('option').allInnerTexts()
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    assert.deepEqual((await texts(page)).slice(0, 3), ['Choose', 'Alabama', 'Alaska'])
    await fill(page, ana)
    await fieldOf(page, province).selectOption('US-NY')
    await page.locator('#summary', { hasText: 'Tax' }).waitFor()
    // What is typed elsewhere stays while the list is exchanged.
    await fieldOf(page, 'shipping_address.country_code').selectOption('MX')
    await fieldOf(page, province).locator('option', { hasText: 'Jalisco' }).waitFor({ state: 'attached' })
    assert.equal(await fieldOf(page, province).inputValue(), '')
    assert.equal(await fieldOf(page, 'shipping_address.city').inputValue(), 'Springfield')
    const labels = (await page.locator('#town label').allInnerTexts()).map((text) => text.trim())
    assert.deepEqual(labels, ['Postal code', 'City', 'State'])
    await page.locator('#place').click()
    await page.locator(`[name="${province}"][aria-invalid="true"]`).waitFor()
    assert.equal(await textOf(page, `[id="${province}-fault"]`), 'Choose your state or province.')
    assert.deepEqual(await accessibilityFaults(page), [])
    await fieldOf(page, province).selectOption('MX-JAL')
    await fieldOf(page, 'shipping_address.postal_code').fill('44100')
    await place(page)
    assert.match(await textOf(page, 'main'), /44100 Springfield, Jalisco/)
  })
  await visiting(withoutScript, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    await fieldOf(page, 'shipping_address.country_code').selectOption('MX')
    await page.locator('noscript button, button', { hasText: 'Update shipping' }).first().click()
    assert.ok((await texts(page)).includes('Jalisco'))
    assert.equal(await fieldOf(page, 'shipping_address.city').inputValue(), 'Springfield')
  })
})

test('a box for marketing appears when the store asks, is not ticked, and is kept with its sentence', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    const box = page.locator('[name=accepts_marketing]')
    assert.equal(await box.count(), 0)
    await shop.api.patch('/v1/store/checkout', { marketing: 'optional', marketing_text: 'Send me the letter' })
    await page.reload()
    assert.equal(await box.isChecked(), false)
    await fill(page, ana)
    await page.getByLabel('Send me the letter').check()
    await page.getByRole('radio', { name: 'Cash on delivery' }).check()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.reload()
    assert.equal(await box.isChecked(), true)
    await place(page)
    const [consent] = (await shop.api.get('/v1/marketing-consents')).data
    assert.deepEqual([consent.source, consent.text], ['checkout', 'Send me the letter'])
  })
})
