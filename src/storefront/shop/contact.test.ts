import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailServer } from '../../../test/mailserver.ts'
import { dataOf, faultsOf, newShop, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'

const server = await openMailServer()
const environment = { SMTP_URL: server.url, MAILS_PER_MINUTE: '100000', BASE_URL: 'http://shop.example' }
const world = await openWorld(environment, { sweeps: true })

const newEmail = () => `${newUuid()}@example.com`
const lettersTo = (email: string) => server.received.filter(({ to }) => to === email)
const bodyOf = (raw: string) =>
  raw
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (hex) => Buffer.from(hex.replaceAll('=', ''), 'hex').toString('utf8'))

const typed = { name: 'Ana Torres', email: 'ana@example.com', message: 'Is it waterproof?' }

/** A shop whose merchant is reached, each visitor from an address of their own unless said. */
async function shopWith(reached: object = { notification_email: newEmail() }) {
  const shop = await newShop(world)
  dataOf(await shop.api.patch('/v1/store', reached), 200)
  return { ...shop, merchant: (reached as { notification_email: string }).notification_email }
}

let visitors = 0
const nextAddress = () => `198.51.${Math.floor(++visitors / 200)}.${visitors % 200}`

async function visit({ store }: Shop, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/s/${store.slug}${path}`, {
    headers: { 'accept-language': 'en', ...headers },
  })
  return { status: response.status, text: await response.text() }
}

async function write({ store }: Shop, form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/s/${store.slug}/contact`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { origin: 'http://shop.example', 'accept-language': 'en', 'x-forwarded-for': nextAddress(), ...headers },
    redirect: 'manual',
  })
  return { status: response.status, location: response.headers.get('location'), text: await response.text(), response }
}

const mailsOf = async ({ api }: Shop) => (await api.get('/v1/mails?kind=contact_message')).data

test('what a visitor writes reaches the merchant, who answers the visitor', async () => {
  const shop = await shopWith()
  const message = 'Hello,\n<b>is it</b> waterproof? & "how" deep'
  const { status, location } = await write(shop, { ...typed, message })
  assert.deepEqual([status, location], [303, `/s/${shop.store.slug}/contact?sent=1`])
  assert.match((await visit(shop, '/contact?sent=1')).text, /<h1>Message sent<\/h1>/)
  await world.app.sender.sendDue()
  const [letter, ...others] = lettersTo(shop.merchant)
  assert.deepEqual(others, [])
  assert.equal(letter!.header('Subject'), 'New message for Corner shop')
  assert.equal(letter!.header('From'), 'Corner shop <no-reply@shop.example>')
  assert.equal(letter!.header('Reply-To'), 'ana@example.com')
  const body = bodyOf(letter!.raw)
  assert.match(body, /From:\r\n {2}Ana Torres\r\n {2}ana@example\.com/)
  assert.match(body, /Message:\r\n {2}Hello,\r\n {2}<b>is it<\/b> waterproof\? & "how" deep/)
  assert.match(body, /Hello,<br>&lt;b&gt;is it&lt;\/b&gt; waterproof\? &amp; &quot;how&quot; deep/)
  assert.deepEqual(lettersTo('ana@example.com'), [], 'the visitor gets no copy')
  const [mail] = await mailsOf(shop)
  assert.deepEqual([mail.kind, mail.status, mail.recipient], ['contact_message', 'sent', shop.merchant])
  assert.equal(JSON.stringify(mail).includes('waterproof'), false)
})

test('a store in Spanish reads it in Spanish, and so does the visitor', async () => {
  const shop = await newShop(world, { country_code: 'MX', name: 'Casa' })
  const merchant = newEmail()
  await shop.api.patch('/v1/store', { notification_email: merchant })
  assert.match(
    (await visit(shop, '/contact', { 'accept-language': 'es' })).text,
    /<h1>Contacto<\/h1>[^]*Enviar mensaje/,
  )
  await write(shop, typed)
  await world.app.sender.sendDue()
  const [letter] = lettersTo(merchant)
  assert.equal(letter!.header('Subject'), 'Nuevo mensaje para Casa')
  assert.match(bodyOf(letter!.raw), /Mensaje:\r\n/)
})

test('without anybody who reads it there is no page and no link; with somebody there are, at once', async () => {
  const shop = await newShop(world)
  const link = `href="/s/${shop.store.slug}/contact"`
  const isThere = async () => {
    const [page, home] = [await visit(shop, '/contact'), await visit(shop, '')]
    assert.equal(home.text.includes(link), page.status === 200)
    return page.status === 200
  }
  assert.equal(await isThere(), false)
  assert.equal((await write(shop, typed)).status, 404)
  await shop.api.patch('/v1/store/appearance', { contact_email: newEmail() })
  assert.equal(await isThere(), true)
  await shop.api.patch('/v1/store/mails/contact_message', { is_active: false })
  assert.equal(await isThere(), false)
  assert.equal((await write(shop, typed)).status, 404)
  await shop.api.patch('/v1/store/mails/contact_message', { is_active: true })
  assert.equal(await isThere(), true)
  await shop.api.patch('/v1/store/appearance', { contact_email: null })
  assert.equal(await isThere(), false)
  await shop.api.patch('/v1/store', { notification_email: newEmail() })
  assert.equal(await isThere(), true)
})

test('the address for notices comes before the one that everybody sees', async () => {
  const shop = await shopWith()
  const shown = newEmail()
  await shop.api.patch('/v1/store/appearance', { contact_email: shown })
  await write(shop, typed)
  await shop.api.patch('/v1/store', { notification_email: null })
  await write(shop, { ...typed, message: 'Once more' })
  await world.app.sender.sendDue()
  assert.deepEqual([lettersTo(shop.merchant).length, lettersTo(shown).length], [1, 1])
})

test('nobody else can be written to, whatever the form says', async () => {
  const shop = await shopWith()
  const victim = newEmail()
  const more = { to: victim, recipient: victim, cc: victim, bcc: victim, notification_email: victim, reply_to: victim }
  assert.equal((await write(shop, { ...typed, ...more, email: 'eve@example.com' })).status, 303)
  for (const wrong of [
    { email: `eve@example.com\r\nBcc: ${victim}` },
    { email: `eve@example.com, ${victim}` },
    { email: `eve@example.com,${victim}` },
    { email: `Eve <${victim}>, eve@example.com` },
    { name: `Eve\r\nBcc: ${victim}` },
    { name: `Eve\nBcc: ${victim}` },
  ]) {
    assert.equal((await write(shop, { ...typed, ...wrong })).status, 422, JSON.stringify(wrong))
  }
  assert.equal(
    (await write(shop, { ...typed, message: `Hello\r\n.\r\nRCPT TO:<${victim}>\r\nBcc: ${victim}` })).status,
    303,
  )
  await world.app.sender.sendDue()
  assert.deepEqual(lettersTo(victim), [])
  const heads = lettersTo(shop.merchant).map(({ raw }) => raw.slice(0, raw.indexOf('\r\n\r\n')))
  assert.equal(heads.length, 2)
  for (const head of heads) assert.equal(head.includes(victim), false)
})

test('what is wrong is said beside its field, and what was typed stays', async () => {
  const shop = await shopWith()
  const empty = await write(shop, { name: '', email: '', message: ' ' })
  assert.equal(empty.status, 422)
  assert.match(empty.text, /id="email-fault">Enter your email\./)
  assert.match(empty.text, /id="message-fault">Enter a message\./)
  assert.doesNotMatch(empty.text, /id="name-fault"/)
  assert.match(empty.text, /<input id="email"[^>]* autofocus/)
  const wrong = await write(shop, { name: '<i>Ana', email: 'ana@', message: '</textarea><script>' })
  assert.match(wrong.text, /value="&lt;i&gt;Ana"[^]*value="ana@"[^]*aria-invalid="true"/)
  assert.match(wrong.text, /&lt;\/textarea&gt;&lt;script&gt;<\/textarea>/)
  const long = await write(shop, { ...typed, message: 'x'.repeat(5001) })
  assert.match(long.text, /id="message-fault">Use at most 5000 characters\./)
  assert.equal((await write(shop, { ...typed, name: '', message: 'x'.repeat(5000) })).status, 303)
  assert.equal((await mailsOf(shop)).length, 1)
})

test('who fills in the field that nobody sees is thanked like everybody, and sends nothing', async () => {
  const shop = await shopWith()
  assert.match((await visit(shop, '/contact')).text, /aria-hidden="true"><label for="website">[^]*tabindex="-1"/)
  const { status, location } = await write(shop, { ...typed, website: 'https://spam.example' })
  assert.deepEqual([status, location], [303, `/s/${shop.store.slug}/contact?sent=1`])
  assert.deepEqual(await mailsOf(shop), [])
})

test('one address writes ten times an hour, all together write to a store a hundred times', async () => {
  const shop = await shopWith()
  const here = { 'x-forwarded-for': '203.0.113.7' }
  for (let n = 0; n < 10; n++) assert.equal((await write(shop, typed, here)).status, 303)
  const refused = await write(shop, { ...typed, message: 'And this?' }, here)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.response.headers.get('retry-after')) > 0)
  assert.match(refused.text, /role="alert">Too many messages[^]*And this\?<\/textarea>/)
  assert.equal((await write(await shopWith(), typed, here)).status, 429, 'of any store')
  for (let n = 10; n < 100; n++) assert.equal((await write(shop, typed)).status, 303)
  assert.equal((await write(shop, typed)).status, 429)
  assert.equal((await write(await shopWith(), typed)).status, 303)
  world.clock.advance(3600)
  assert.equal((await write(shop, typed, here)).status, 303)
})

test('a form of another site is refused', async () => {
  const shop = await shopWith()
  assert.equal((await write(shop, typed, { origin: 'https://evil.example' })).status, 403)
  assert.deepEqual(await mailsOf(shop), [])
})

test('the message goes with its mail after 30 days, and with the person', async () => {
  const shop = await shopWith()
  const email = newEmail()
  const kept = async () => {
    const rows = await world.app.db.rows<{ enquiry: { message: string } | null }>(sql`
      select enquiry from mails where store_id = ${shop.store.id} and kind = 'contact_message'`)
    return rows.map(({ enquiry }) => enquiry?.message ?? null)
  }
  await write(shop, { ...typed, email, message: 'Sent' })
  await world.app.sender.sendDue()
  await write(shop, { ...typed, email: email.toUpperCase(), message: 'Waiting' })
  await write(shop, { ...typed, message: 'Of another' })
  const { id } = dataOf(await shop.api.post('/v1/customers', { name: 'Ana', email }), 201)
  await shop.api.delete(`/v1/customers/${id}`)
  assert.deepEqual((await kept()).toSorted(), ['Of another', null, null])
  await world.app.sender.sendDue()
  const mails = await mailsOf(shop)
  assert.deepEqual(mails.map(({ status, error }: any) => `${status} ${error}`).toSorted(), [
    'sent null',
    'sent null',
    "suppressed The sender's data has been erased",
  ])
  assert.deepEqual(
    lettersTo(shop.merchant).filter(({ raw }) => bodyOf(raw).includes('Waiting')),
    [],
  )
  world.clock.advance(31 * 24 * 3600)
  await world.app.jobs.run('drop old mail')
  assert.deepEqual(await kept(), [])
})

test('sent again, it says the same', async () => {
  const shop = await shopWith()
  await write(shop, typed)
  await world.app.sender.sendDue()
  const [mail] = await mailsOf(shop)
  assert.equal((await shop.api.post(`/v1/mails/${mail.id}/resend`, {})).status, 200)
  await world.app.sender.sendDue()
  assert.equal(lettersTo(shop.merchant).filter(({ raw }) => bodyOf(raw).includes('waterproof')).length, 2)
})

test("a shop of one's own sends messages by the storefront API, within the same limits", async () => {
  const shop = await shopWith()
  const send = async (body: object, address = nextAddress()) => {
    const response = await fetch(`${world.url}/storefront/${shop.store.slug}/messages`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, origin: 'https://other.example' },
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  assert.deepEqual(await send(typed), { status: 201, body: { data: { received: true } } })
  const { status, body } = await send({ name: 'A\nB', email: 'ana', message: '' })
  assert.equal(status, 422)
  assert.deepEqual(body.error.details.map(({ field }: any) => field).toSorted(), ['email', 'message', 'name'])
  for (let n = 0; n < 10; n++) await send(typed, '203.0.113.9')
  assert.equal((await send(typed, '203.0.113.9')).status, 429)
  await shop.api.patch('/v1/store', { notification_email: null })
  assert.equal((await send(typed)).status, 404)
})

test('the store may say it in words of its own, which name no order', async () => {
  const shop = await shopWith()
  const path = '/v1/store/mails/contact_message'
  const refused = faultsOf(await shop.api.patch(path, { en: { subject: 'No {number}', introduction: 'Of {total}' } }))
  assert.deepEqual(refused, {
    'en.subject': 'can only use the placeholders store, not "number"',
    'en.introduction': 'can only use the placeholders store, not "total"',
  })
  dataOf(await shop.api.patch(path, { en: { subject: 'Post for {store}' } }), 200)
  const preview = dataOf(await shop.api.get(`${path}/preview`), 200)
  assert.deepEqual([preview.subject, preview.reply_to], ['Post for Corner shop', 'ana@example.com'])
  assert.match(preview.text, /is the backpack waterproof\?/)
})
