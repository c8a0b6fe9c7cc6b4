import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, test } from 'node:test'
import { ana, buyer, productOf, shopperOf } from '../../../../test/checkouts.ts'
import { openWorld, type TestStore, type World } from '../../../../test/world.ts'
import { readOutbox } from '../../../platform/outbound/mail.ts'
import { declineRecoveryMail } from './recovery.ts'

const world = await openWorld({}, { sweeps: true })
const minute = 60,
  day = 24 * 60 * 60

async function leave(shop: TestStore, body: object = {}, { app, clock }: World = world, at = world) {
  const items = [{ product_id: (await productOf(shop)).id, quantity: 2 }]
  const shopper = shopperOf(at, shop)
  const { customer = ana, ...cart } = body as { customer?: object }
  const { data } = await shopper.begin({ items, ...cart })
  clock.advance(20)
  assert.equal((await shopper.change(data.token, { customer })).status, 200)
  const [draft] = (await shop.api.get('/v1/checkout-drafts?status=active')).data ?? []
  clock.advance(30 * minute)
  await app.jobs.run('sweep checkouts')
  return { ...data, link: draft?.recovery_token }
}

const send = ({ app }: World = world) => app.sender.sendDue()

async function lettersTo(address: string) {
  await send()
  const letters = await readOutbox(world.app.db, world.app.vault, 1000)
  return letters.filter(({ to, subject }) => to === address && !subject.startsWith('Your order'))
}

test('an abandoned checkout gets one email with a recovery link', async () => {
  const shop = await world.newStore({ name: 'Corner shop' })
  const bump = (await shop.api.post('/v1/store/order-bumps', { title: 'Gift wrapping', price: 5 })).data
  const { link } = await leave(shop, { customer: { ...ana, email: 'one@example.com' }, order_bumps: [bump.id] })
  const [letter, ...others] = await lettersTo('one@example.com')
  assert.deepEqual(others, [])
  const root = `https://shop.example/s/${shop.store.slug}`
  const [mail] = (await shop.api.get('/v1/mails?kind=abandoned_checkout')).data
  assert.deepEqual([mail.status, mail.recipient], ['sent', 'one@example.com'])
  const [draft] = (await shop.api.get('/v1/checkout-drafts')).data
  assert.deepEqual([draft.recovery_mail, draft.recovery_mail_at], ['sent', mail.sent_at])
  assert.equal(letter!.subject, 'You left something at Corner shop')
  assert.equal(
    letter!.text,
    [
      'Hello Ana Torres,',
      '',
      'Your cart at Corner shop is waiting. Continue where you left off:',
      '',
      'Return to cart:',
      `${root}/recover/${link}?lang=en`,
      '',
      'Your items:',
      '  2 × Canvas backpack: $40.00',
      '  1 × Gift wrapping: $5.00',
      'Subtotal: $45.00',
      'Shipping: Free',
      'Total: $45.00',
      '',
      'Unsubscribe from reminders:',
      `${root}/unsubscribe/${link}?lang=en`,
      '',
      'Corner shop',
      root,
      '',
    ].join('\n'),
  )
  world.clock.advance(day)
  assert.equal((await lettersTo('one@example.com')).length, 1)
})

test("the mail is in the shopper's language, else in that of the store's country", async () => {
  const shop = await world.newStore({ currency: 'MXN', country_code: 'MX' })
  await leave(shop, { customer: { email: 'es@example.com' } })
  await leave(shop, { customer: { email: 'en@example.com' }, locale: 'en' })
  const [spanish] = await lettersTo('es@example.com'),
    [english] = await lettersTo('en@example.com')
  assert.equal(spanish!.subject, 'Olvidaste algo en Corner shop')
  assert.match(spanish!.text, /^Hola:\n\nTu carrito en Corner shop te espera\./)
  assert.match(english!.text, /^Hello,\n/)
})

test("no mail goes out without an address, the feature or the store's consent, nor after an order", async () => {
  const quiet = await world.newStore(),
    starter = await world.newStore({ plan: 'starter' })
  const paused = await world.newStore(),
    shop = await world.newStore()
  assert.equal(
    (await quiet.api.patch('/v1/store', { recovery_email_enabled: false })).data.recovery_email_enabled,
    false,
  )
  await leave(quiet, { customer: { email: 'quiet@example.com' } })
  await leave(starter, { customer: { email: 'starter@example.com' } })
  await leave(paused, { customer: { email: 'paused@example.com' } })
  await paused.api.patch('/v1/store', { status: 'paused' })
  await leave(shop, { customer: { phone: ana.phone } })
  const { token } = await leave(shop, buyer('ordered@example.com'))
  await shopperOf(world, shop).complete(token)
  for (const name of ['quiet', 'starter', 'paused', 'ordered']) {
    assert.deepEqual(await lettersTo(`${name}@example.com`), [], name)
  }
})

test('one address gets one mail a day from a store', async () => {
  const shop = await world.newStore()
  const items = [{ product_id: (await productOf(shop)).id, quantity: 2 }]
  for (const email of ['often@example.com', 'OFTEN@example.com']) {
    await shopperOf(world, shop).begin({ items, customer: { email } })
  }
  await leave(shop, { customer: { email: 'often@example.com' } })
  const count = async () =>
    (await lettersTo('often@example.com')).length + (await lettersTo('OFTEN@example.com')).length
  assert.equal(await count(), 1)
  world.clock.advance(10 * minute)
  assert.equal(await count(), 1)
  world.clock.advance(day)
  await leave(shop, { customer: { email: 'often@example.com' } })
  assert.equal(await count(), 2)
})

test('an opted-out address gets no more recovery emails from this store, but from others', async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const { link } = await leave(shop, { customer: { email: 'enough@example.com' } })
  assert.equal((await lettersTo('enough@example.com')).length, 1)
  const refuse = (of: TestStore) => world.app.db.transaction((tx) => declineRecoveryMail(tx, of.store, link))
  assert.equal(await refuse(shop), 'enough@example.com')
  assert.equal(await refuse(shop), 'enough@example.com')
  await assert.rejects(refuse(other), { status: 404 })
  world.clock.advance(2 * day)
  await leave(shop, { customer: { email: 'Enough@example.com' } })
  assert.deepEqual(await lettersTo('Enough@example.com'), [])
  await leave(other, { customer: { email: 'enough@example.com' } })
  assert.equal((await lettersTo('enough@example.com')).length, 2)
})

test("what is no name is not sent to somebody else's address", async () => {
  const shop = await world.newStore()
  const names = ['Win at https://evil.example', 'evil.example', 'Ana\nBcc: all', 'x'.repeat(61), '💰']
  for (const [index, name] of names.entries()) {
    const email = `victim${index}@example.com`
    await leave(shop, { customer: { name, email } })
    assert.match((await lettersTo(email))[0]!.text, /^Hello,\n/, name)
  }
  await leave(shop, { customer: { name: "Dr. José  O'Neill-Núñez", email: 'jose@example.com' } })
  assert.match((await lettersTo('jose@example.com'))[0]!.text, /^Hello Dr\. José O'Neill-Núñez,\n/)
})

test('a mail server that takes nothing is asked again later; such mail is ended in one click', async () => {
  const smtp = await smtpServer()
  const mailing = await openWorld({ SMTP_URL: `smtp://127.0.0.1:${smtp.port}?from=shop@example.com` }, { sweeps: true })
  const shop = await mailing.newStore()
  smtp.answer = '451 4.3.0 try again'
  const { link } = await leave(shop, {}, mailing, mailing)
  await send(mailing)
  assert.equal(smtp.letters.length, 0)
  smtp.answer = '250 2.0.0 taken'
  await send(mailing)
  assert.equal(smtp.letters.length, 0)
  mailing.clock.advance(2 * minute)
  await send(mailing)
  mailing.clock.advance(day)
  await send(mailing)
  assert.equal(smtp.letters.length, 1)
  const letter = smtp.letters[0]!.replaceAll('\r\n ', ' ')
  assert.match(
    letter,
    new RegExp(
      `^List-Unsubscribe: <https://shop\\.example/s/${shop.store.slug}/unsubscribe/${link}\\?lang=en>\r$`,
      'm',
    ),
  )
  assert.match(letter, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
  assert.match(letter, /^To: ana@example\.com\r$/m)
})

/** A mail server that answers DATA as it is told. */
async function smtpServer() {
  const self = { port: 0, answer: '', letters: [] as string[] }
  const server = net.createServer((socket) => {
    let letter: string | null = null
    socket.on('error', () => {})
    socket.write('220 mail.example\r\n')
    socket.on('data', (chunk) => {
      const text = chunk.toString()
      if (letter !== null) {
        letter += text
        if (!letter.endsWith('\r\n.\r\n')) return
        if (self.answer.startsWith('250')) self.letters.push(letter)
        letter = null
        socket.write(`${self.answer}\r\n`)
      } else if (text.startsWith('DATA')) {
        letter = ''
        socket.write('354 go on\r\n')
      } else if (text.startsWith('QUIT')) socket.end('221 bye\r\n')
      else socket.write('250 ok\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  self.port = (server.address() as net.AddressInfo).port
  return self
}
