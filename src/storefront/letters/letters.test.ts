import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyer, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { isDraftOrderKind, isPaymentKind, getMailKind, mailKinds, type MailKind } from '../../tenancy/emails/kinds.ts'

const world = await openWorld()

const preview = async ({ api }: TestStore, kind: string, query = '') =>
  (await api.get(`/v1/store/mails/${kind}/preview${query}`)).data

test('every kind of mail is listed with the usual words, on unless it was switched off', async () => {
  const { api } = await world.newStore()
  const { data } = await api.get('/v1/store/mails')
  assert.deepEqual(
    data.map(({ kind, is_active, en, es }: any) => [kind, is_active, en, es]),
    mailKinds.map((kind) => [kind, true, null, null]),
  )
  assert.equal(data[0].usual.en.subject, 'Your order {number} at {store}')
  const changed = (await api.patch('/v1/store/mails/order_paid', { is_active: false })).data
  assert.equal(changed.is_active, false)
  assert.deepEqual((await api.get('/v1/store/mails/order_paid')).data, changed)
})

test('each can be previewed in each language, with a sample or an order of the store', async () => {
  const shop = await world.newStore({ name: 'Corner shop' })
  await shop.api.patch('/v1/store', { reply_to_email: 'hello@corner.example' })
  for (const kind of mailKinds) {
    const [english, spanish] = [await preview(shop, kind), await preview(shop, kind, '?language=es')]
    for (const { subject, from, reply_to, html, text } of [english, spanish]) {
      assert.equal(from, 'Corner shop')
      const isFromVisitor = kind === 'contact_message'
      assert.equal(reply_to, isFromVisitor ? 'ana@example.com' : 'hello@corner.example')
      if (isPaymentKind(kind)) {
        assert.match(subject + text, /1[.,\s\u202f]?035/, kind)
        continue
      }
      if (kind === 'team_summary') {
        assert.ok(text.includes('#1001') && text.includes(`/dashboard/${shop.store.id}/notifications`))
        continue
      }
      if (kind === 'account_sign_in') {
        assert.ok(text.includes('/account') && text.includes('123456'))
        continue
      }
      const isDraft = isDraftOrderKind(kind)
      const isOrdered = !['payment_failed', 'abandoned_checkout'].includes(kind) && !isFromVisitor && !isDraft
      assert.ok(subject.includes('1001') === isOrdered && html.includes(subject), kind)
      if (!isFromVisitor && getMailKind(kind).to === 'merchant') continue
      assert.ok(
        text.includes(isFromVisitor ? 'Ana Torres' : isOrdered ? '/orders/ord_' : isDraft ? '/pay/' : '/recover/'),
        kind,
      )
    }
    assert.notEqual(english.subject + english.text, spanish.subject + spanish.text)
  }
  const items = [{ product_id: (await productOf(shop)).id, quantity: 3 }]
  const { data } = await shopperOf(world, shop).begin({ items, ...buyer(), locale: 'es' })
  const { order } = (await shopperOf(world, shop).complete(data.token)).data
  const { text } = await preview(shop, 'order_confirmation', `?order=${order.id}`)
  assert.match(text, /^Hola, Ana Torres:/)
  assert.match(text, /3 × Canvas backpack/)
  const other = await world.newStore()
  assert.equal((await other.api.get(`/v1/store/mails/order_paid/preview?order=${order.id}`)).status, 404)
  assert.equal((await other.api.get('/v1/store/mails/order_paid/preview?order=nobody')).status, 404)
  assert.equal((await other.api.get('/v1/store/mails/nothing/preview')).status, 404)
})

test('emails to the merchant lead to the dashboard, and emails to customers never do', async () => {
  const shop = await world.newStore()
  const dashboard = `/dashboard/${shop.store.id}/`
  const screens: Partial<Record<MailKind, string>> = {
    return_notice: 'returns/ret_',
    team_summary: 'notifications',
    contact_message: '',
  }
  for (const kind of mailKinds) {
    const { text, html } = await preview(shop, kind)
    // Samples of payments have no order.
    if (isPaymentKind(kind)) continue
    const { [kind]: screen = 'orders/ord_' } = screens
    const isForStaff = getMailKind(kind).to === 'merchant'
    for (const part of [text, html]) {
      assert.equal(part.includes(dashboard + screen), isForStaff && screen !== '', kind)
      if (isForStaff) assert.doesNotMatch(part, /\/(orders|pay)\/d?ord_\w+\./, kind)
    }
  }
})

test('the bill of an order that is paid in part ends with what was paid and what is left', async () => {
  const shop = await world.newStore()
  const items = [{ product_name: 'Bag', unit_price: 83.71, quantity: 1 }]
  const { data: order } = await shop.api.post('/v1/orders', { items, payment_status: 'paid', tax_amount: 0 })
  const bill = async () => (await preview(shop, 'payment_request', `?order=${order.id}`)).text
  assert.doesNotMatch(await bill(), /Paid:|To pay:/)
  const added = [{ product_name: 'Hat', unit_price: 197.63, quantity: 1 }]
  const { status } = await shop.api.post(`/v1/orders/${order.id}/edits`, { items: added })
  assert.equal(status, 200)
  assert.match(await bill(), /Total: \$281\.34\s+Paid: \$83\.71\s+To pay: \$197\.63/)
})

test('an address has the name of the buyer, the line of its country and its country', async () => {
  const shop = await world.newStore()
  const address = { address: '2 New St', city: 'Portland', province: 'Maine', postal_code: '04101' }
  const items = [{ product_name: 'Bag', unit_price: 5, quantity: 1 }]
  const buyer = { customer_name: 'Cy Lee', shipping_address: address, country_code: 'US' }
  const { data: order } = await shop.api.post('/v1/orders', { items, ...buyer })
  const text = async (query = '') => (await preview(shop, 'order_confirmation', `?order=${order.id}${query}`)).text
  assert.match(await text(), /Cy Lee\s+2 New St\s+Portland, ME 04101\s+United States\n/)
  assert.match(await text('&language=de'), /Portland, ME 04101\s+Vereinigte Staaten\n/)
})

test("a merchant's own words take the place of the usual ones, with what they name filled in", async () => {
  const shop = await world.newStore({ name: 'Tom & Ana' })
  const es = { subject: '¡Gracias! {number}', introduction: 'Hola <b>amiga</b> de {store}\n{total} {{' }
  assert.equal((await shop.api.patch('/v1/store/mails/order_confirmation', { es })).status, 200)
  const { subject, html, text } = await preview(shop, 'order_confirmation', '?language=es')
  assert.equal(subject, '¡Gracias! 1001')
  assert.ok(html.includes('Hola &lt;b&gt;amiga&lt;/b&gt; de Tom &amp; Ana<br>'))
  assert.match(text, /Hola <b>amiga<\/b> de Tom & Ana\n\S*1,035\.00 \{\{\n/)
  assert.match((await preview(shop, 'order_confirmation')).subject, /^Your order 1001/)
  await shop.api.patch('/v1/store/mails/order_confirmation', { en: { subject: 'Only {number}' } })
  assert.equal((await preview(shop, 'order_confirmation', '?language=es')).subject, '¡Gracias! 1001')
  await shop.api.patch('/v1/store/mails/order_confirmation', { es: null })
  assert.match((await preview(shop, 'order_confirmation', '?language=es')).subject, /^Tu pedido 1001/)
})

test('words that name something unknown, are too long or go over the line are refused', async () => {
  const { api } = await world.newStore()
  const faultsOf = async (body: object) => {
    const { status, error } = await api.patch('/v1/store/mails/order_paid', body)
    assert.equal(status, 422)
    return error.details.map(({ field, message }: any) => `${field} ${message}`)
  }
  assert.deepEqual(await faultsOf({ en: { subject: 'Hi {name}', introduction: '{total} {}' } }), [
    'en.subject can only use the placeholders store, number, total, not "name"',
    'en.introduction can only use the placeholders store, number, total, not ""',
  ])
  assert.deepEqual((await faultsOf({ es: { subject: 'a\nBcc: b@example.com' } })).length, 1)
  assert.deepEqual((await faultsOf({ es: { subject: 'x'.repeat(151), introduction: 'x'.repeat(2001) } })).length, 2)
  assert.equal((await api.patch('/v1/store/mails/nothing', {})).status, 404)
  const unpaid = await api.patch('/v1/store/mails/payment_failed', { en: { subject: '{number} {total}' } })
  assert.deepEqual(
    unpaid.error.details.map(({ field, message }: any) => `${field} ${message}`),
    ['en.subject can only use the placeholders store, total, not "number"'],
  )
})

test('a letter says which tax the prices of its order contain', async () => {
  const shop = await world.newStore()
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_included: true })
  const items = [{ product_name: 'Lamp', unit_price: 116, quantity: 1 }]
  const { data: order } = await shop.api.post('/v1/orders', { items, customer_email: 'ana@example.com' })
  const letter = (query: string) => preview(shop, 'order_confirmation', `?order=${order.id}${query}`)
  assert.match((await letter('&language=en')).text, /Total\W+116\.00[^]*Tax included\W+16\.00/)
  assert.match((await letter('&language=es')).text, /Impuestos incluidos\W+16\.00/)
})

test('what strangers type becomes no link in a letter to another address', async () => {
  const shop = await world.newStore()
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const customer = { name: 'Win at https://evil.example', email: 'victim@example.com' }
  const address = {
    address: 'Go to https://evil.example/x or www.evil.example',
    city: 'A@b.example',
    province: 'ME',
    postal_code: '04101',
  }
  const { data } = await shopperOf(world, shop).begin({ items, customer, shipping_address: address })
  const { order } = (await shopperOf(world, shop).complete(data.token)).data
  const { text, html } = await preview(shop, 'order_confirmation', `?order=${order.id}`)
  assert.match(text, /^Hello,\n/)
  for (const said of [text, html]) assert.doesNotMatch(said, /evil\.example|:\/\/evil|b\.example/)
})

test('letters look as the shop does: its own logo, its accent, and who is behind it', async () => {
  const shop = await world.newStore()
  const { id } = shop.store
  const file = `${'a'.repeat(32)}-600x200-aabbcc`
  const look = {
    logo: `https://elsewhere.example/media/${id}/${file}/600.jpg`,
    accent_color: '#7a4a1e',
    legal_name: 'Casa Nogal S.A.',
    contact_address: 'Calle 60 no. 482\nMérida',
  }
  const { status, error } = await shop.api.patch('/v1/store/appearance', look)
  assert.equal(status, 200, JSON.stringify(error))
  for (const kind of mailKinds) {
    const { html, text } = await preview(shop, kind)
    assert.match(
      html,
      new RegExp(`<img src="https://shop\\.example/media/${id}/${file}/600\\.jpg" width="144" height="48"`),
    )
    assert.ok(!html.includes('elsewhere.example'))
    const hasButton = kind !== 'contact_message' && !isPaymentKind(kind)
    if (hasButton) assert.ok(html.includes('background-color:#7a4a1e;color:#fff'), kind)
    for (const line of ['Casa Nogal S.A.', 'Calle 60 no. 482', 'Mérida']) {
      assert.ok(html.includes(line) && text.includes(line), `${kind}: ${line}`)
    }
  }
  // What is not uploaded here would tell its server who opens a letter.
  await shop.api.patch('/v1/store/appearance', { logo: 'https://elsewhere.example/logo.png' })
  const { html } = await preview(shop, 'order_paid')
  assert.ok(!html.includes('<img') && html.includes('>Corner shop</a>'))
})

test('the recovery email is a kind as all others: words, preview, one switch', async () => {
  const shop = await world.newStore()
  await shop.api.patch('/v1/store/mails/abandoned_checkout', {
    en: { subject: 'Still there', introduction: '{total}!' },
  })
  const { subject, text, html } = await preview(shop, 'abandoned_checkout')
  assert.equal(subject, 'Still there')
  assert.match(text, /1,035\.00![^]*Return to cart:\n\S+\/recover\/sample[^]*Unsubscribe from reminders:/)
  assert.match(html, /class="button"/)
  const isActive = async () => (await shop.api.get('/v1/store/mails/abandoned_checkout')).data.is_active
  assert.equal(await isActive(), true)
  await shop.api.patch('/v1/store', { recovery_email_enabled: false })
  assert.equal(await isActive(), false)
  await shop.api.patch('/v1/store/mails/abandoned_checkout', { is_active: true })
  assert.equal((await shop.api.get('/v1/store')).data.recovery_email_enabled, true)
  assert.equal(await isActive(), true)
})
