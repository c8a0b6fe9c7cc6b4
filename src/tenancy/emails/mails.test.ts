import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { ana, buyer, productOf, shopperOf } from '../../../test/checkouts.ts'
import { openMailServer } from '../../../test/mailserver.ts'
import { openWorld, type TestStore, type World } from '../../../test/world.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { readOutbox } from '../../platform/outbound/mail.ts'
import { maxAttempts, openClaims } from './claim.ts'
import { perStore } from './limits.ts'

const server = await openMailServer()
const environment = { SMTP_URL: server.url, MAILS_PER_MINUTE: '100000' }
const world = await openWorld(environment, { sweeps: true })
const day = 24 * 60 * 60

async function placed(shop: TestStore, email: string = ana.email, at: World = world, body: object = {}) {
  const items = [{ product_id: (await productOf(shop)).id, quantity: 2 }]
  const shopper = shopperOf(at, shop)
  const { data } = await shopper.begin({ items, ...buyer(email), ...body })
  const { status, data: completed, error } = await shopper.complete(data.token)
  assert.equal(status, 201, JSON.stringify(error))
  return completed.order
}

const newEmail = () => `${newUuid()}@example.com`
const mailsOf = async ({ api }: TestStore, query = '') => (await api.get(`/v1/mails${query}`)).data
const lettersTo = (email: string) => server.received.filter(({ to }) => to === email)

/** The decoded parts of an email. */
const bodyOf = (raw: string) =>
  raw
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (hex) => Buffer.from(hex.replaceAll('=', ''), 'hex').toString('utf8'))

test('who orders at the checkout gets a confirmation, and the merchant is told', async () => {
  const shop = await world.newStore({ name: 'Corner shop' })
  const [email, merchant] = [newEmail(), newEmail()]
  await shop.api.patch('/v1/store', { reply_to_email: 'hello@corner.example', notification_email: merchant })
  const instructions = 'Account 0123456789'
  await shop.api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions })
  await shop.api.post('/v1/store/shipping-rates', { code: 'pickup', price: 0, description: 'Calle 5, from 9 to 5' })
  const methods = { payment_method: 'bank_transfer', shipping_method: 'pickup' }
  const order = await placed(shop, email, world, { ...methods, locale: 'en' })
  const queued = await mailsOf(shop)
  assert.deepEqual(queued.map(({ kind, status, attempts }: any) => `${kind} ${status} ${attempts}`).sort(), [
    'order_confirmation queued 0',
    'order_notice queued 0',
  ])
  await world.app.sender.sendDue()
  const [letter, ...others] = lettersTo(email)
  assert.deepEqual(others, [])
  assert.equal(letter!.header('From'), 'Corner shop <no-reply@shop.example>')
  assert.equal(letter!.header('Reply-To'), 'hello@corner.example')
  assert.equal(letter!.header('Subject'), `Your order ${order.order_number} at Corner shop`)
  const body = bodyOf(letter!.raw)
  for (const said of [
    'Hello Ana Torres,',
    '2 × Canvas backpack: $40.00',
    'Total: $40.00',
    instructions,
    'Calle 5, from 9 to 5',
    `https://shop.example/s/${shop.store.slug}/orders/${order.id}.`,
    '?lang=en',
    'text/html',
  ]) {
    assert.ok(body.includes(said), said)
  }
  const [notice] = lettersTo(merchant)
  assert.equal(notice!.header('Subject'), `New order ${order.order_number}: $40.00`)
  const sent = await mailsOf(shop, `?order_id=${order.id}&kind=order_confirmation`)
  assert.equal(sent[0].status, 'sent')
  assert.equal(sent[0].recipient, email)
  assert.equal(sent[0].message_id, letter!.header('Message-ID'))
  assert.deepEqual((await shop.api.get(`/v1/mails/${sent[0].id}`)).data, sent[0])
})

test('the letter is in the language of the checkout, and its link opens the page in it', async () => {
  const shop = await world.newStore({ currency: 'MXN', country_code: 'MX' })
  const [spanish, english] = [newEmail(), newEmail()]
  await placed(shop, spanish)
  await placed(shop, english, world, { locale: 'en' })
  await world.app.sender.sendDue()
  const letter = lettersTo(spanish)[0]!
  assert.match(bodyOf(letter.raw), /Hola, Ana Torres:\r\n/)
  assert.match(bodyOf(letter.raw), /\?lang=es/)
  assert.match(bodyOf(lettersTo(english)[0]!.raw), /Hello Ana Torres,/)
})

test('links lead to the verified domain of the store', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  await world.app.db.rows(sql`
    update stores set custom_domain = ${`${shop.store.slug}.example`}, domain_verified = true
    where id = ${shop.store.id}`)
  const order = await placed(shop, email)
  await world.app.sender.sendDue()
  assert.ok(bodyOf(lettersTo(email)[0]!.raw).includes(`https://${shop.store.slug}.example/orders/${order.id}.`))
})

test('the owners and admins are told where the store names no address', async () => {
  const shop = await world.newStore()
  const people = ['owner', 'admin', 'staff'].map((role) => ({ role, id: newUuid(), email: newEmail() }))
  for (const { id, email, role } of people) {
    await world.app.db.rows(sql`
      insert into users (id, email, created_at, updated_at) values (${id}, ${email}, now(), now())`)
    await world.app.db.rows(sql`
      insert into members (store_id, user_id, role, created_at) values (${shop.store.id}, ${id}, ${role}, now())`)
  }
  await placed(shop)
  const told = (await mailsOf(shop, '?kind=order_notice')).map(({ recipient }: any) => recipient)
  assert.deepEqual(
    told.sort(),
    people
      .slice(0, 2)
      .map(({ email }) => email)
      .sort(),
  )
})

test('an order that is paid or cancelled is told to its customer once each', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const { id } = await placed(shop, email)
  for (const change of [{ payment_status: 'paid' }, { payment_status: 'paid' }, { status: 'cancelled' }]) {
    assert.equal((await shop.api.patch(`/v1/orders/${id}`, change)).status, 200)
  }
  const kinds = (await mailsOf(shop, `?recipient=${email}`)).map(({ kind }: any) => kind)
  assert.deepEqual(kinds.sort(), ['order_cancelled', 'order_confirmation', 'order_paid'])
})

test('who is sent a parcel is told where it is, but not of one that has arrived or was called back', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const { id } = await placed(shop, email)
  const path = `/v1/orders/${id}/fulfillments`
  const [{ id: item_id }] = (await shop.api.get(`/v1/orders/${id}`)).data.items
  const items = [{ item_id, quantity: 1 }]
  const parcel = (await shop.api.post(path, { items, carrier: 'DHL', tracking_number: '123' })).data
  const [mail] = await mailsOf(shop, '?kind=order_shipped')
  assert.deepEqual([mail.fulfillment_id, mail.order_id], [parcel.id, id])
  await world.app.sender.sendDue()
  const letter = lettersTo(email).find((one) => one.header('Subject')!.endsWith('on its way'))!
  const body = bodyOf(letter.raw)
  for (const said of ['DHL', '123', '1 × Canvas backpack', parcel.tracking_url]) assert.ok(body.includes(said), said)
  await shop.api.patch(`${path}/${parcel.id}`, { status: 'cancelled' })
  const again = (await shop.api.post(`/v1/mails/${mail.id}/resend`)).data
  await world.app.sender.sendDue()
  assert.equal((await shop.api.get(`/v1/mails/${again.id}`)).data.status, 'suppressed')
  await shop.api.post(path, { items, delivered_at: '2026-11-21T10:00:00Z' })
  assert.equal((await mailsOf(shop, '?kind=order_shipped')).length, 2)
})

test('whose money goes back is told how much', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const { id } = await placed(shop, email)
  await shop.api.patch(`/v1/orders/${id}`, { payment_status: 'paid' })
  const [item] = (await shop.api.get(`/v1/orders/${id}`)).data.items
  const body = { items: [{ item_id: item.id, quantity: 1 }], amount: 15, reason: 'Came back\nbroken' }
  const { status, data: refund } = await shop.api.post(`/v1/orders/${id}/refunds`, body)
  assert.equal(status, 201)
  const [mail, ...others] = await mailsOf(shop, '?kind=order_refunded')
  assert.deepEqual(others, [])
  assert.deepEqual([mail.refund_id, mail.recipient], [refund.id, email])
  await world.app.sender.sendDue()
  const letter = lettersTo(email).find((one) => one.header('Subject')!.startsWith('Refund'))!
  const text = bodyOf(letter.raw)
  assert.match(text, /Refunded:\r\n {2}\$15\.00/)
  assert.match(text, /Refunded items:\r\n {2}1 × Canvas backpack/)
  assert.match(text, /Reason:\r\n {2}Came back broken/)
  assert.match(text, /We’ll pay it back to you directly/)
  assert.doesNotMatch(text, /may take a few days/)
})

test('whose order is cancelled is told what happens with the money', async () => {
  const shop = await world.newStore()
  const [unpaid, paid, half, returned] = [newEmail(), newEmail(), newEmail(), newEmail()]
  for (const email of [unpaid, paid, half, returned]) {
    const { id } = await placed(shop, email)
    if (email !== unpaid) await shop.api.patch(`/v1/orders/${id}`, { payment_status: 'paid' })
    if (email === half) await shop.api.post(`/v1/orders/${id}/refunds`, { amount: 15 })
    const change = { status: 'cancelled', refund: email === returned }
    assert.equal((await shop.api.patch(`/v1/orders/${id}`, change)).status, 200)
  }
  await world.app.sender.sendDue()
  const cancellationTo = (email: string) =>
    bodyOf(lettersTo(email).find((one) => one.header('Subject')!.endsWith('was canceled'))!.raw)
  assert.match(cancellationTo(unpaid), /You weren’t charged\./)
  assert.match(cancellationTo(paid), /The \$40\.00 you paid hasn’t been refunded yet\./)
  assert.match(cancellationTo(half), /You get \$15\.00 back from us directly[^]*The \$25\.00 you paid hasn’t been/)
  assert.match(cancellationTo(returned), /You get \$40\.00 back from us directly/)
  for (const email of [unpaid, paid, half, returned]) assert.doesNotMatch(cancellationTo(email), /We’(re|ve) refund/)
})

test('no program that answers for who is away answers an email, and no name adds a header', async () => {
  const shop = await world.newStore()
  await world.app.db.rows(sql`
    update stores set name = ${'Shop\r\nBcc: all@example.com'} where id = ${shop.store.id}`)
  const email = newEmail()
  await placed(shop, email)
  await world.app.sender.sendDue()
  const [letter] = lettersTo(email)
  assert.equal(letter!.header('Auto-Submitted'), 'auto-generated')
  assert.equal(letter!.header('Bcc'), undefined)
  assert.match(letter!.header('From')!, /^"?Shop Bcc: all@example\.com"? <no-reply@shop\.example>$/)
})

test('an order that is posted to the API sends mail only when asked to', async () => {
  const shop = await world.newStore()
  const line = { items: [{ product_id: (await productOf(shop)).id, quantity: 1 }], customer_email: newEmail() }
  const quiet = (await shop.api.post('/v1/orders', line)).data
  assert.equal(quiet.notify_customer, false)
  await shop.api.patch(`/v1/orders/${quiet.id}`, { payment_status: 'paid' })
  assert.deepEqual(await mailsOf(shop), [])
  const told = (await shop.api.post('/v1/orders', { ...line, notify_customer: true, locale: 'es' })).data
  const [mail, ...others] = await mailsOf(shop)
  assert.deepEqual(others, [])
  assert.deepEqual([mail.kind, mail.language, mail.order_id], ['order_confirmation', 'es', told.id])
  await shop.api.patch(`/v1/orders/${quiet.id}`, { notify_customer: true, status: 'cancelled' })
  assert.deepEqual(
    (await mailsOf(shop, `?order_id=${quiet.id}`)).map(({ kind }: any) => kind),
    ['order_cancelled'],
  )
})

test('an order that is refused mails nobody', async () => {
  const shop = await world.newStore()
  const line = { items: [{ product_id: (await productOf(shop)).id, quantity: 1 }], customer_email: newEmail() }
  const refused = { ...line, notify_customer: true, discount_code: 'NONE' }
  assert.equal((await shop.api.post('/v1/orders', refused)).status, 422)
  assert.deepEqual(await mailsOf(shop), [])
})

test('a mail server that is away is asked again with growing pauses, under the same Message-ID', async () => {
  const away = await openMailServer()
  const email = newEmail()
  const own = await openWorld({ ...environment, SMTP_URL: away.url }, { sweeps: true })
  const other = await own.newStore()
  await away.close()
  await placed(other, email, own)
  const pauses: number[] = []
  for (let attempt = 1; attempt <= 3; attempt++) {
    await own.app.sender.sendDue()
    const [mail] = await mailsOf(other, `?recipient=${email}`)
    assert.deepEqual([mail.status, mail.attempts], ['queued', attempt])
    assert.ok(mail.error)
    pauses.push(Math.round((Date.parse(mail.next_attempt_at) - own.clock.now().getTime()) / 1000))
    own.clock.advance(pauses.at(-1)! + 1)
  }
  assert.deepEqual(pauses, [60, 300, 1200])
  const back = await openMailServer(away.port)
  back.answer = 'later'
  await own.app.sender.sendDue()
  own.clock.advance(day)
  back.answer = 'take'
  await own.app.sender.sendDue()
  const [mail] = await mailsOf(other, `?recipient=${email}`)
  assert.deepEqual([mail.status, mail.attempts, mail.error], ['sent', 5, null])
  assert.equal(back.received[0]!.header('Message-ID'), mail.message_id)
})

test('what no server takes in three days is given up, and sent when it is asked for again', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  server.answer = 'later'
  await placed(shop, email)
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    await world.app.sender.sendDue()
    world.clock.advance(day)
  }
  const [failed] = await mailsOf(shop, `?recipient=${email}`)
  assert.deepEqual([failed.status, failed.attempts, failed.next_attempt_at], ['failed', maxAttempts, null])
  server.answer = 'take'
  await world.app.sender.sendDue()
  assert.deepEqual(lettersTo(email), [])
  const again = (await shop.api.post(`/v1/mails/${failed.id}/resend`)).data
  assert.equal(again.status, 'queued')
  await world.app.sender.sendDue()
  assert.equal(lettersTo(email).length, 1)
  assert.notEqual(lettersTo(email)[0]!.header('Message-ID'), failed.message_id)
})

test('a wrong address is refused at once, and nobody else waits for it', async () => {
  const shop = await world.newStore()
  const [wrong, right] = [newEmail(), newEmail()]
  server.unknown.add(wrong)
  await placed(shop, wrong)
  await placed(shop, right)
  await world.app.sender.sendDue()
  const [refused] = await mailsOf(shop, `?recipient=${wrong}`)
  assert.deepEqual([refused.status, refused.attempts], ['refused', 1])
  assert.match(refused.error, /no such user here/)
  assert.equal(lettersTo(right).length, 1)
})

test('who ends between sending a mail and writing it down leaves it to another: the same letter again', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  await placed(shop, email)
  await world.app.sender.sendDue()
  // The state after a kill: the server has accepted the email, but its row is still claimed.
  await world.app.db.rows(sql`
    update mails
    set status = 'queued', sent_at = null, next_attempt_at = ${world.clock.now()}
    where store_id = ${shop.store.id}`)
  await openClaims('shop.example')(world.app.db, 20)
  world.clock.advance(60)
  await world.app.sender.sendDue()
  assert.equal(lettersTo(email).length, 1, 'not before the claim has run out')
  world.clock.advance(31)
  await world.app.sender.sendDue()
  const letters = lettersTo(email)
  assert.equal(letters.length, 2)
  assert.equal(letters[0]!.header('Message-ID'), letters[1]!.header('Message-ID'))
})

test('two nodes that send at the same time send each of 1,000 mails once, a few at a time', async () => {
  const many = await openMailServer()
  const first = await openWorld({ ...environment, SMTP_URL: many.url }, { sweeps: true })
  const shop = await first.newStore()
  await placed(shop, newEmail(), first)
  await first.app.sender.sendDue()
  await first.app.db.rows(sql`
    insert into mails (store_id, id, kind, recipient, language, order_id, next_attempt_at, created_at)
    select store_id, gen_random_uuid(), kind, 'p' || number || '@example.com', language, order_id,
      ${first.clock.now()}, ${first.clock.now()}
    from mails, generate_series(1, 1000) as number
    where store_id = ${shop.store.id} and order_id is not null and kind = 'order_confirmation'`)
  many.received.length = 0
  const url = new URL(first.app.db.pool.options.connectionString!)
  const second = await openWorld(
    { ...environment, SMTP_URL: many.url },
    { database: { url: url.href, drop: async () => {} } },
  )
  second.clock.advance((first.clock.now().getTime() - second.clock.now().getTime()) / 1000)
  const tried = await Promise.all([first.app.sender.sendDue(), second.app.sender.sendDue()])
  assert.equal(tried[0] + tried[1], 1000)
  assert.equal(new Set(many.received.map(({ to }) => to)).size, 1000)
  assert.equal(many.received.length, 1000)
  assert.ok(many.most <= 10, `${many.most} connections`)
})

test('a store that has a thousand mails to send delays no other: each store has its turn', async () => {
  const own = await openWorld(environment, { sweeps: true })
  const [loud, quiet] = [await own.newStore(), await own.newStore()]
  const email = newEmail()
  await placed(loud, newEmail(), own)
  await own.app.db.rows(sql`
    insert into mails (store_id, id, kind, recipient, language, order_id, next_attempt_at, created_at)
    select store_id, gen_random_uuid(), kind, 'q' || number || '@example.com', language, order_id,
      next_attempt_at - interval '1 hour', created_at
    from mails, generate_series(1, 1000) as number
    where kind = 'order_confirmation'`)
  await placed(quiet, email, own)
  const claims = await openClaims('shop.example')(own.app.db, 20)
  assert.equal(claims.length, 20)
  assert.deepEqual(new Set(claims.map(({ store_id }) => store_id)), new Set([loud.store.id, quiet.store.id]))
  assert.ok(claims.some(({ recipient }) => recipient === email))
})

test('a mail that waited long for its turn goes back: its claim would run out while it is sent', async () => {
  const hanging = await openMailServer()
  hanging.answer = 'hang'
  const own = await openWorld({ ...environment, SMTP_URL: hanging.url }, { sweeps: true })
  const shop = await own.newStore()
  for (let count = 0; count < 8; count++) await placed(shop, newEmail(), own)
  const sending = own.app.sender.sendDue()
  while (hanging.most < 5) await sleep(20)
  own.clock.advance(21)
  hanging.answer = 'take'
  await hanging.close()
  await sending.catch(() => {})
  const attempts = (await mailsOf(shop, '?per_page=100')).map((mail: any) => mail.attempts)
  assert.ok(
    attempts.every((count: number) => count <= 2),
    attempts.join(),
  )
})

test('no more leave a minute than are allowed', async () => {
  const slow = await openWorld({ SMTP_URL: server.url, MAILS_PER_MINUTE: '2' }, { sweeps: true })
  const shop = await slow.newStore()
  const email = newEmail()
  for (let count = 0; count < 3; count++) await placed(shop, email, slow)
  assert.equal(await slow.app.sender.sendDue(), 2)
  assert.equal(await slow.app.sender.sendDue(), 0)
  slow.clock.advance(61)
  assert.equal(await slow.app.sender.sendDue(), 1)
})

test('a mail server that hangs delays no order', async () => {
  const hanging = await openMailServer()
  hanging.answer = 'hang'
  const own = await openWorld({ ...environment, SMTP_URL: hanging.url }, { sweeps: true })
  const shop = await own.newStore()
  const email = newEmail()
  await placed(shop, email, own)
  const sending = own.app.sender.sendDue()
  await sleep(200)
  for (let count = 0; count < 5; count++) await placed(shop, newEmail(), own)
  const [mail] = await mailsOf(shop, `?recipient=${email}`)
  assert.equal(mail.status, 'queued')
  await hanging.close()
  await sending
})

test('a kind that is switched off is not sent', async () => {
  const shop = await world.newStore()
  const { status } = await shop.api.patch('/v1/store/mails/order_confirmation', { is_active: false })
  assert.equal(status, 200)
  await shop.api.patch('/v1/store', { notification_email: newEmail() })
  await placed(shop)
  assert.deepEqual(
    (await mailsOf(shop)).map(({ kind }: any) => kind),
    ['order_notice'],
  )
})

test('what waits after a failure is tried at once when asked for; what is under way is not', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  server.answer = 'later'
  await placed(shop, email)
  const fresh = (await mailsOf(shop, `?recipient=${email}`))[0]
  assert.equal((await shop.api.post(`/v1/mails/${fresh.id}/resend`)).data.next_attempt_at, fresh.next_attempt_at)
  await world.app.sender.sendDue()
  server.answer = 'take'
  const hurried = (await shop.api.post(`/v1/mails/${fresh.id}/resend`)).data
  assert.equal(hurried.id, fresh.id)
  assert.ok(Date.parse(hurried.next_attempt_at) <= world.clock.now().getTime())
  await world.app.sender.sendDue()
  assert.equal(lettersTo(email).length, 1)
})

test('an address gets twenty emails a day from a store: what is over is written down, and fails no order', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  const { id } = await placed(shop, email)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const order = { items, customer_email: email.toUpperCase(), notify_customer: true }
  for (let count = 0; count < 21; count++) assert.equal((await shop.api.post('/v1/orders', order)).status, 201)
  const all = await mailsOf(shop, `?recipient=${email}&per_page=100`)
  assert.equal(all.filter(({ status }: any) => status === 'queued').length, 20)
  const [over, ...others] = await mailsOf(shop, '?status=suppressed')
  assert.equal(others.length, 1)
  assert.deepEqual([over.error, over.next_attempt_at], ['This address already received 20 emails in 24 hours', null])
  await world.app.sender.sendDue()
  assert.equal(server.received.filter(({ to }) => to.toLowerCase() === email).length, 20)
  // Other addresses and other stores have their own count, and so does the next day.
  await placed(shop, newEmail())
  await placed(await world.newStore(), email)
  world.clock.advance(day)
  await shop.api.patch(`/v1/orders/${id}`, { status: 'cancelled' })
  assert.equal((await mailsOf(shop, `?recipient=${email}&kind=order_cancelled`))[0].status, 'queued')
})

test('a store that has sent as many as it may in an hour waits for the next one', async () => {
  const own = await openWorld(environment, { sweeps: true })
  const shop = await own.newStore()
  const [email, later] = [newEmail(), newEmail()]
  await placed(shop, email, own)
  await own.app.sender.sendDue()
  await own.app.db.rows(sql`
    insert into mails (store_id, id, kind, recipient, language, status, created_at, sent_at)
    select store_id, gen_random_uuid(), kind, 'x@example.com', language, 'sent', created_at, sent_at
    from mails, generate_series(1, ${perStore.count})
    where kind = 'order_confirmation'`)
  await placed(shop, later, own)
  await own.app.sender.sendDue()
  assert.equal(lettersTo(later).length, 0)
  own.clock.advance(perStore.seconds + 1)
  await own.app.sender.sendDue()
  assert.equal(lettersTo(later).length, 1)
})

test('of those who send emails again at once, none goes past the limit', async () => {
  const shop = await world.newStore()
  await placed(shop)
  await world.app.sender.sendDue()
  const [mail] = await mailsOf(shop, '?kind=order_confirmation')
  const resend = () => shop.api.post(`/v1/mails/${mail.id}/resend`)
  const answers = await Promise.all(Array.from({ length: 25 }, resend))
  assert.equal(answers.filter(({ status }) => status === 200).length, 19)
})

test('nobody gets the same kind more than twenty times a day', async () => {
  const shop = await world.newStore()
  await placed(shop)
  await world.app.sender.sendDue()
  const [mail] = await mailsOf(shop, '?kind=order_confirmation')
  const answers = []
  for (let count = 0; count < 20; count++) answers.push((await shop.api.post(`/v1/mails/${mail.id}/resend`)).status)
  assert.deepEqual([answers.filter((status) => status === 200).length, answers.at(-1)], [19, 422])
})

test('a customer who is erased gets no mail any more, and no mail tells where one went', async () => {
  const shop = await world.newStore()
  const email = newEmail()
  await placed(shop, email)
  await world.app.sender.sendDue()
  const { id } = await placed(shop, email)
  const [customer] = (await shop.api.get(`/v1/customers?search=${email}`)).data
  assert.equal((await shop.api.delete(`/v1/customers/${customer.id}`)).status, 200)
  await world.app.sender.sendDue()
  assert.equal(lettersTo(email).length, 1)
  const all = await mailsOf(shop, '?kind=order_confirmation')
  assert.deepEqual(
    all.map(({ status, recipient }: any) => [status, recipient]),
    [
      ['suppressed', null],
      ['sent', null],
    ],
  )
  const refused = all.find(({ order_id }: any) => order_id === id)
  assert.equal((await shop.api.post(`/v1/mails/${refused.id}/resend`)).status, 409)
})

test('mail that is over is kept for thirty days', async () => {
  const shop = await world.newStore()
  await placed(shop)
  await world.app.sender.sendDue()
  await placed(shop)
  world.clock.advance(31 * day)
  await world.app.jobs.run('drop old mail')
  assert.deepEqual(
    (await mailsOf(shop)).map(({ status }: any) => status),
    ['queued'],
  )
})

test('without a mail server it is kept in the outbox, and goes from there with the customer', async () => {
  const plain = await openWorld({}, { sweeps: true })
  const shop = await plain.newStore()
  const [email, merchant] = [newEmail(), newEmail()]
  await shop.api.patch('/v1/store', { notification_email: merchant })
  await placed(shop, email, plain)
  await plain.app.sender.sendDue()
  const kept = async () =>
    (await readOutbox(plain.app.db, plain.app.vault)).filter(({ to, text }) => to === email || text.includes(email))
  const letters = await kept()
  const letter = letters.find(({ to }) => to === email)
  assert.deepEqual(letters.map(({ to }) => to).sort(), [email, merchant].sort())
  assert.match(letter!.text, /^Hello Ana Torres,\n\nThank you for your order at Corner shop\./)
  const [customer] = (await shop.api.get(`/v1/customers?search=${email}`)).data
  await shop.api.delete(`/v1/customers/${customer.id}`)
  assert.deepEqual(await kept(), [])
})
