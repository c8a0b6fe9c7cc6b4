// The pages of a store, as people use them: with a script and without, on a phone and a desktop, in both languages.
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
  inMexico,
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

const world = await openWorld({ BASE_URL: 'http://shop.example' }, { sweeps: true })
const day = 24 * 60 * 60

test('a shopper without a script buys in Spanish on a phone, from the home page to the order', async () => {
  const shop = await openShop(world, { currency: 'MXN', country_code: 'MX', timezone: 'America/Mexico_City' })
  await visiting({ ...phone, ...withoutScript, locale: 'es-MX' }, async (page) => {
    await page.goto(shop.url)
    assert.equal(await page.locator('html').getAttribute('lang'), 'es')
    await page.getByRole('searchbox', { name: 'Buscar' }).fill('shirt')
    await page.getByRole('button', { name: 'Buscar' }).click()
    await page.getByRole('link', { name: 'Shirt' }).click()
    assert.match(await textOf(page, '#stock'), /Casi agotado/)
    await page.getByRole('radio', { name: 'S', exact: true }).check({ force: true })
    await page.getByRole('button', { name: 'Agregar al carrito' }).click()
    assert.equal(await textOf(page, '#options-fault'), 'Esta opción está agotada. Elige otra.')
    await page.getByRole('radio', { name: 'L', exact: true }).check({ force: true })
    await page.getByRole('button', { name: 'Ver precio' }).click()
    assert.equal(await textOf(page, '#price'), '$33.00')
    await fieldOf(page, 'quantity').fill('2')
    await page.getByRole('button', { name: 'Agregar al carrito' }).click()
    await page.waitForURL(/\/cart/)
    assert.equal(await textOf(page, '.totals .total'), 'Subtotal $66.00')
    await page.getByLabel('Cantidad de Shirt').fill('1')
    await page.getByRole('button', { name: 'Actualizar' }).click()
    assert.equal(await textOf(page, '.totals .total'), 'Subtotal $33.00')
    assert.deepEqual((await shop.api.get('/v1/checkout-drafts?status=all')).data, [])

    await page.getByRole('button', { name: 'Finalizar la compra' }).click()
    await page.waitForURL(/\/checkout$/)
    assert.equal(await fieldOf(page, 'shipping_address.country_code').inputValue(), 'MX')
    assert.equal(await textOf(page, '.totals .total'), 'Total $39.00')
    await fill(page, { ...ana, ...inMexico })
    await page.getByRole('radio', { name: 'Transferencia bancaria' }).check()
    await page.getByRole('checkbox', { name: 'Gift wrapping' }).check()
    await fieldOf(page, 'discount_code').fill('welcome10')
    await page.locator('#place').click()
    // Nobody places an order for another sum than was shown.
    assert.match(await textOf(page, '#announced'), /El total ahora es \$39\.30/)
    await place(page)
    assert.equal(await textOf(page, 'h1'), '¡Gracias, Ana!')
    const order = await page.content()
    const told = ['Account 0123', 'Main Street 12', 'Gift wrapping', 'Descuento WELCOME10', '$39.30', 'México']
    assert.deepEqual(
      told.filter((text) => !order.includes(text)),
      [],
    )
  })
  const [order] = await ordersOf(shop)
  assert.deepEqual([order.total, order.shipping_cost, order.discount_amount], [39.3, 6, 3.7])
  const { payment_method, customer_email, country_code } = order
  assert.deepEqual([payment_method, customer_email, country_code], ['bank_transfer', 'ana@example.com', 'MX'])
  const events = (await shop.events()).map(({ event }) => event)
  assert.deepEqual(events, ['customer.created', 'order.created', 'checkout.completed'])
})

test('a shopper with a script buys in English on a desktop, and the sum follows every choice', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await page.goto(`${shop.url}/products/shirt`)
    await page.getByRole('radio', { name: 'L', exact: true }).check({ force: true })
    assert.equal(await textOf(page, '#price'), '$33.00')
    await page.getByRole('radio', { name: 'S', exact: true }).check({ force: true })
    assert.equal(await textOf(page, '#stock'), 'Sold out')
    assert.equal(await page.locator('#add').isDisabled(), true)
    await page.getByRole('radio', { name: 'M', exact: true }).check({ force: true })
    await page.locator('#add').click()
    await page.locator('form.cart').waitFor()
    await page.getByLabel('Quantity of Shirt').fill('2')
    await page.getByLabel('Quantity of Shirt').blur()
    await page.locator('.totals .total', { hasText: '$60.00' }).waitFor()
    await page.locator('button[value=checkout]').click()
    await page.waitForURL(/\/checkout$/)

    const total = page.locator('#total')
    assert.equal(await total.innerText(), '$66.00')
    await Promise.all([refreshed(page), page.getByRole('radio', { name: 'Express' }).check()])
    await total.filter({ hasText: '$75.00' }).waitFor()
    assert.equal(await textOf(page, '#spoken'), 'Total $75.00')
    await page.getByRole('checkbox', { name: 'Gift wrapping' }).check()
    await total.filter({ hasText: '$79.00' }).waitFor()
    await fieldOf(page, 'discount_code').fill('WELCOME10')
    await page.getByRole('button', { name: 'Apply' }).click()
    await total.filter({ hasText: '$72.60' }).waitFor()
    await page.getByRole('radio', { name: 'Pickup' }).check()
    await total.filter({ hasText: '$57.60' }).waitFor()
    assert.equal(await page.locator('#address').isVisible(), false)
    await page.getByRole('radio', { name: 'Standard' }).check()
    await total.filter({ hasText: '$63.60' }).waitFor()
    await page.getByLabel('Country').selectOption('MX')
    await page.getByRole('radio', { name: 'Express' }).waitFor({ state: 'detached' })

    await leave(page, 'customer.email', 'ana@example.com')
    const [draft] = (await shop.api.get('/v1/checkout-drafts?status=active')).data
    const { customer, total: kept, shipping_address } = draft
    assert.deepEqual([customer.email, kept, shipping_address.country_code], ['ana@example.com', 63.6, 'MX'])
    await fill(page, { ...ana, ...inMexico })
    await place(page)
    assert.equal(await textOf(page, 'h1'), 'Thank you, Ana!')
    assert.equal(await page.getByText('Your confirmation is on its way to ana@example.com.').isVisible(), true)
    assert.equal(await page.locator('#cart-link').innerText(), 'Cart')
  })
  const [order] = await ordersOf(shop)
  assert.deepEqual([order.total, order.item_count, order.country_code], [63.6, 2, 'MX'])
})

for (const [name, options] of [
  ['with a script', {}],
  ['without one', { ...phone, ...withoutScript }],
] as const) {
  test(`what is wrong is said beside its field, the first has the focus, what was typed stays, ${name}`, async () => {
    const shop = await openShop(world)
    await visiting(options, async (page) => {
      await toCheckout(page, shop)
      const focus = async () => {
        // The browser moves it a frame after the page has come.
        await page.locator(':focus').waitFor()
        return page.evaluate(() => (globalThis as any).document.activeElement.name)
      }
      await fieldOf(page, 'discount_code').fill('NOPE')
      await page.locator('#place').click()
      assert.equal(await textOf(page, '#announced'), 'Check 7 fields.')
      assert.equal(await focus(), 'customer.email')
      const typed = {
        'customer.email': 'ana@',
        'customer.phone': 'call me',
        'customer.name': 'Ana',
        discount_code: 'NOPE',
      }
      await fill(page, typed)
      // The script asks too, while the fields are filled.
      const refused = page.waitForResponse((answer) => answer.request().isNavigationRequest())
      await page.locator('#place').click()
      assert.equal((await refused).status(), 422)
      await page.waitForLoadState()
      const faults = await page.locator('.fault').allInnerTexts()
      assert.deepEqual(faults, [
        'Enter a valid email, such as ana@example.com.',
        'Enter your address.',
        'Enter your city.',
        'Choose your state or province.',
        'Enter your postal code.',
        'Enter a phone number with 6 to 15 digits.',
        'This code doesn’t exist.',
      ])
      assert.equal(await textOf(page, '#announced'), 'Check 7 fields.')
      const email = fieldOf(page, 'customer.email')
      assert.equal(await email.getAttribute('aria-describedby'), 'customer.email-fault')
      assert.equal(await email.getAttribute('aria-invalid'), 'true')
      assert.equal(await focus(), 'customer.email')
      for (const [field, text] of Object.entries(typed)) {
        assert.equal(await fieldOf(page, field).inputValue(), text, field)
      }
      await fill(page, { ...ana, 'customer.phone': '', discount_code: '' })
      await place(page)
    })
    assert.equal((await ordersOf(shop)).length, 1)
  })
}

test('a price that has changed and what is sold out meanwhile are said at the line, and the cart is kept', async () => {
  const shop = await openShop(world)
  await visiting(withoutScript, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    await shop.api.patch(`/v1/products/${shop.mug.id}`, { price: 16 })
    await page.locator('#place').click()
    assert.equal(await textOf(page, '.summary .fault'), 'The price has changed from $14.00 to $16.00.')
    assert.match(await textOf(page, '#announced'), /The total is now \$22\.00/)
    assert.deepEqual(await ordersOf(shop), [])

    await shop.api.patch(`/v1/inventory/products/${shop.mug.id}`, { quantity: -40 })
    await page.locator('#place').click()
    assert.equal(await textOf(page, '.summary .fault'), 'Sold out')
    assert.equal(await fieldOf(page, 'customer.name').inputValue(), 'Ana Torres')
    await page.getByRole('link', { name: 'Edit cart' }).click()
    assert.equal(await textOf(page, '.lines .fault'), 'Sold out')
    await page.locator('button[value=checkout]').click()
    assert.equal(await textOf(page, '.lines .fault'), 'Sold out')

    await shop.api.patch(`/v1/inventory/products/${shop.mug.id}`, { quantity: 1 })
    await page.getByLabel('Quantity of Enamel mug').fill('2')
    await page.getByRole('button', { name: 'Update' }).click()
    assert.equal(await textOf(page, '.lines .fault'), 'Only 1 left')
    await page.getByLabel('Quantity of Enamel mug').fill('1')
    await page.locator('button[value=checkout]').click()
    await page.waitForURL(/\/checkout$/)
    await place(page)
  })
  assert.equal((await ordersOf(shop)).length, 1)
})

test('with a script, what is added shows beside the product, and is changed and removed there', async () => {
  const shop = await openShop(world)
  await visiting({ width: 390 }, async (page) => {
    const drawer = page.locator('#drawer')
    const address = `${shop.url}/products/enamel-mug`
    await page.goto(address)
    await page.locator('#add').click()
    await drawer.getByText('Added to your cart').waitFor()
    assert.equal(page.url(), address)
    assert.match(await page.locator('#cart-link b').innerText(), /1$/)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })

    await page.locator('#quantity').fill('0')
    await page.locator('#add').click()
    await page.locator('#quantity-fault').waitFor()
    await page.locator('#quantity').fill('2')
    await page.locator('#add').click()
    const quantity = drawer.getByLabel('Quantity of Enamel mug')
    await quantity.waitFor()
    assert.equal(await quantity.inputValue(), '3')
    await drawer.getByRole('button', { name: 'Remove Enamel mug' }).click()
    await drawer.getByText('Your cart is empty.').waitFor()
    assert.equal(await page.locator('#cart-link b').count(), 0)
    await drawer.getByRole('button', { name: 'Close' }).click()
    assert.equal(await page.locator('#add').isVisible(), true)
  })
})

test('with a script, products appear below the search as it is typed, and arrows go through them', async () => {
  const shop = await openShop(world)
  await visiting({ width: 390 }, async (page) => {
    await page.goto(shop.url)
    const search = page.getByRole('searchbox')
    await search.pressSequentially('enam')
    await page.locator('#matches').getByRole('link', { name: 'Enamel mug' }).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await search.press('Escape')
    assert.equal(await page.locator('#matches').isVisible(), false)
    await search.pressSequentially('e')
    await page.locator('#matches').waitFor()
    await search.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/products\/enamel-mug/)
  })
})

test('one field takes an email or a phone number, and says so of what is neither', async () => {
  const shop = await openShop(world)
  const { 'customer.email': _, ...rest } = ana
  for (const options of [{}, withoutScript]) {
    await visiting(options, async (page) => {
      await toCheckout(page, shop)
      await fill(page, { 'customer.email': 'call me', ...rest })
      await page.locator('#place').click()
      assert.equal(await textOf(page, '[id="customer.email-fault"]'), 'Enter your email or phone number.')
      assert.equal(await fieldOf(page, 'customer.email').inputValue(), 'call me')
      // Beside a number for the delivery, the contact is an email.
      await fill(page, { 'customer.phone': '+1 217 555 0142' })
      await page.locator('#place').click()
      await page.getByText('Enter a valid email, such as ana@example.com.').waitFor()
      await fill(page, { 'customer.email': '217 555 0143', 'customer.phone': '' })
      await place(page)
    })
  }
  const orders = await ordersOf(shop)
  const contacts = orders.map(({ customer_email, customer_phone }: any) => [customer_email, customer_phone])
  assert.deepEqual(contacts, [
    [null, '217 555 0143'],
    [null, '217 555 0143'],
  ])
})

test('a double click, a reload and the back button make one order', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes('act=place')) sent.push(request.url())
    })
    await page.locator('#place').dblclick()
    await page.waitForURL(/\/orders\//)
    assert.equal(sent.length, 1)
    const link = page.url()
    await page.reload()
    assert.equal(await textOf(page, 'h1'), 'Thank you, Ana!')
    await page.goBack()
    await page.waitForURL(link)
  })
  await visiting(withoutScript, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    const mark = await fieldOf(page, 'checkout').inputValue()
    const form = {
      ...ana,
      checkout: mark,
      total: '20',
      act: 'place',
      'shipping_address.country_code': 'US',
      shipping_method: 'standard',
      payment_method: 'cod',
    }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => page.context().request.post(`${shop.url}/checkout`, { form, maxRedirects: 0 })),
    )
    assert.deepEqual(
      answers.map((answer) => answer.status()),
      Array(5).fill(303),
    )
    await page.goto(`${shop.url}/checkout`)
    await page.waitForURL(/\/orders\//)
  })
  assert.equal((await ordersOf(shop)).length, 2)
})

test('Enter in a field keeps what is typed and places no order', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    const sent = page.waitForResponse((answer) => answer.request().method() === 'POST')
    await fieldOf(page, 'shipping_address.city').press('Enter')
    await sent
    await page.waitForURL(/\/checkout$/)
    assert.equal(await fieldOf(page, 'customer.name').inputValue(), 'Ana Torres')
  })
  assert.deepEqual(await ordersOf(shop), [])
})

test('a payment that is declined is said beside the methods, and another one goes on', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    assert.equal(await page.locator('#pay').isVisible(), false)
    await page.getByRole('radio', { name: 'Card' }).check()
    await page.locator('#pay').selectOption('fail')
    await page.locator('#place').click()
    assert.match(await textOf(page, '#payment .fault'), /Your payment was declined/)
    assert.equal(await page.locator('[name=payment_method]:focus').getAttribute('value'), 'card')
    await page.locator('#pay').selectOption('ok')
    await place(page)
    assert.match(await textOf(page, 'main'), /Card · paid/)
  })
  assert.equal((await ordersOf(shop))[0].payment_status, 'paid')
})

test('an order says how it is sent, and where to only when it is', async () => {
  const shop = await openShop(world)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    await fill(page, ana)
    await place(page)
    const sent = /Shipping Standard .*Delivery address Ana Torres Main Street 12 Springfield, IL 62704/
    assert.match(await textOf(page, 'main'), sent)
    await toCheckout(page, shop)
    await fill(page, ana)
    await page.getByRole('radio', { name: 'Pickup' }).check()
    await place(page)
    assert.match(await textOf(page, 'main'), /Shipping Pickup/)
    assert.doesNotMatch(await textOf(page, 'main'), /Delivery address|Main Street/)
  })
})

test('the link of a recovery mail opens the checkout in another browser, until it expires', async () => {
  const shop = await openShop(world)
  await visiting({ ...phone, locale: 'es-ES' }, async (page) => {
    await toCheckout(page, shop)
    await leave(page, 'customer.email', 'ana@example.com')
  })
  world.clock.advance(31 * 60)
  assert.ok(await world.app.jobs.run('sweep checkouts'))
  const [draft] = (await shop.api.get('/v1/checkout-drafts')).data
  const path = new URL(draft.recovery_url).pathname
  await visiting({}, async (page) => {
    await page.goto(world.url + path)
    await page.waitForURL(/\/checkout$/)
    assert.equal(await fieldOf(page, 'customer.email').inputValue(), '', 'what another browser typed is not shown')
    assert.match(await textOf(page, '.summary'), /Enamel mug/)
    await page.getByRole('link', { name: 'Edit cart' }).click()
    await page.locator('.lines', { hasText: 'Enamel mug' }).waitFor()
    await page.goto(`${world.url}${path.replace('recover', 'unsubscribe')}`)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    assert.match(await textOf(page, 'main'), /a…@example\.com will no longer get reminders from Casa Nogal/)
  })
  world.clock.advance(31 * day)
  assert.ok(await world.app.jobs.run('sweep checkouts'))
  await visiting({}, async (page) => {
    assert.equal((await page.goto(world.url + path))!.status(), 410)
    assert.equal(await textOf(page, 'h1'), 'This cart has expired')
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('link', { name: 'Continue shopping' }).click()
    assert.equal(page.url(), shop.url)
  })
})

test('a long name makes no page wider than a phone, without a script and in Spanish', async () => {
  const name = 'Casa Nogal de la Sierra Madre Occidental y Hermanos'
  const shop = await openShop(world, { name, country_code: 'MX', currency: 'MXN' })
  await visiting({ ...phone, ...withoutScript, locale: 'es-MX' }, async (page) => {
    for (const path of ['', '/categories/kitchen', '/products/shirt', '/cart']) {
      await page.goto(shop.url + path)
      const width = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)
      assert.ok(width <= phone.width, `${path} is ${width} wide`)
      const { height } = (await page.getByRole('link', { name: 'English' }).boundingBox())!
      assert.ok(height < 30, `the language is broken into lines at ${path}`)
    }
  })
})

test('no page has a barrier that axe finds, or is wider than a phone, in light and dark', async () => {
  const shop = await openShop(world)
  const paused = await world.newStore()
  await paused.api.patch('/v1/store', { maintenance_mode: true })
  const pages: [string, (page: Page) => Promise<unknown>][] = [
    ['home', (page) => page.goto(shop.url)],
    ['a category', (page) => page.goto(`${shop.url}/categories/kitchen`)],
    ['nothing found', (page) => page.goto(`${shop.url}/search?q=zzz`)],
    ['a product', (page) => page.goto(`${shop.url}/products/enamel-mug`)],
    ['a product with variants', (page) => page.goto(`${shop.url}/products/shirt`)],
    ['an empty cart', (page) => page.goto(`${shop.url}/cart`)],
    ['no such page', (page) => page.goto(`${shop.url}/products/none`)],
    ['no such store', (page) => page.goto(`${world.url}/s/none`)],
    ['a store in maintenance', (page) => page.goto(`${world.url}/s/${paused.store.slug}`)],
    ['a cart', (page) => addProduct(page, shop)],
    [
      'a cart with a fault',
      async (page) => {
        await fieldOf(page, 'quantity').fill('900')
        await fieldOf(page, 'quantity').press('Enter')
        await page.locator('.fault').waitFor()
      },
    ],
    ['the checkout', (page) => toCheckoutAgain(page)],
    [
      'the checkout with faults',
      async (page) => {
        await fieldOf(page, 'customer.phone').fill('?')
        await page.locator('#place').click()
        await page.locator('.fault').first().waitFor()
      },
    ],
    [
      'the order',
      async (page) => {
        await fill(page, { ...ana, 'customer.phone': '' })
        await page.getByRole('radio', { name: 'Bank transfer' }).check()
        await place(page)
      },
    ],
  ]
  const toCheckoutAgain = async (page: Page) => {
    await fieldOf(page, 'quantity').fill('1')
    await page.locator('button[value=checkout]').click()
    await page.waitForURL(/\/checkout$/)
  }
  for (const look of [{ ...phone, dark: true }, { width: 1280 }]) {
    await visiting(look, async (page) => {
      for (const [name, open] of pages) {
        await open(page)
        assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${look.width} wide`)
        const width = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth)
        assert.ok(width <= look.width, `${name} is ${width} wide`)
      }
    })
  }
})
