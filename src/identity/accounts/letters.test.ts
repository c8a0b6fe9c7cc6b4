// Emails about accounts wait for a mail server as all others do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkIn } from '../../../test/letters.ts'
import { openMailServer } from '../../../test/mailserver.ts'
import { newApp, newTokens, openOauthWorld, password } from '../../../test/oauth.ts'
import { openBrowser } from '../../../test/browser.ts'
import { sql } from '../../kit/database/sql.ts'

const server = await openMailServer()
const world = await openOauthWorld({ sweeps: true, environment: { SMTP_URL: server.url, MAILS_PER_MINUTE: '100000' } })
const { db, sender } = world.app
const minute = 60

/** The parts of a letter as they read. */
const bodyOf = (raw: string) => raw.replaceAll(/=\r\n/g, '').replaceAll('=3D', '=')
const lettersTo = (email: string) => server.received.filter(({ to }) => to === email)
const rowsOf = (email: string) =>
  db.rows<{ kind: string; status: string; error: string | null }>(sql`
    select kind, status, error
    from mails
    where store_id = ''
      and recipient = ${email}
    order by created_at, id`)

async function askReset(email: string) {
  const browser = openBrowser()
  await browser.submit(await browser.go(`${world.issuer}/oauth/reset`), { email })
  return browser
}

test('a reset that no mail server takes is sent hours later, and its link lives from then on', async () => {
  const ana = await world.newMerchant()
  server.answer = 'later'
  const browser = await askReset(ana.email)
  await sender.sendDue()
  world.clock.advance(2 * 60 * minute)
  await sender.sendDue()
  assert.deepEqual(lettersTo(ana.email), [])
  server.answer = 'take'
  world.clock.advance(60 * minute)
  await sender.sendDue()
  const [letter, ...others] = lettersTo(ana.email)
  assert.deepEqual(others, [])
  assert.equal(letter!.header('Subject'), 'Reset your password')
  world.clock.advance(29 * minute)
  const link = linkIn(bodyOf(letter!.raw))
  assert.equal((await browser.go(link)).status, 200)
  world.clock.advance(2 * minute)
  assert.equal((await browser.go(link)).status, 410)
})

test('what waits is in the database with the change, and holds no link', async () => {
  const ana = await world.newMerchant()
  await askReset(ana.email)
  const [queued, ...others] = await rowsOf(ana.email)
  assert.deepEqual([queued!.kind, queued!.status, others], ['password_reset', 'queued', []])
  await sender.sendDue()
  const value = linkIn(bodyOf(lettersTo(ana.email)[0]!.raw))
    .split('/')
    .at(-1)!
  const rows = await db.rows<{ text: string }>(sql`select mails::text as text from mails`)
  assert.ok(!rows.some(({ text }) => text.includes(value)))
  assert.equal((await rowsOf(ana.email))[0]!.status, 'sent')
})

test('a link that was replaced before it was sent is not sent', async () => {
  const ana = await world.newMerchant()
  await askReset(ana.email)
  await db.rows(sql`delete from account_links where user_id = ${ana.userId}`)
  await sender.sendDue()
  assert.deepEqual(lettersTo(ana.email), [])
  assert.deepEqual(await rowsOf(ana.email), [
    { kind: 'password_reset', status: 'suppressed', error: 'The link in it is no longer valid' },
  ])
})

test('no store reads the emails of accounts, nor sends one again', async () => {
  const ana = await world.newMerchant()
  await askReset(ana.email)
  assert.deepEqual((await ana.store.api.get(`/v1/mails?recipient=${ana.email}`)).data, [])
  assert.equal((await ana.store.api.get('/v1/mails?kind=password_reset')).status, 422)
  assert.equal((await ana.store.api.get('/v1/store/mails/password_reset')).status, 404)
})

test('a new password is told with the apps that still have access', async () => {
  const ana = await world.newMerchant()
  const app = await newApp(world, { client_name: 'Back office' })
  await newTokens(world, ana, app)
  const browser = await askReset(ana.email)
  await sender.sendDue()
  const link = linkIn(bodyOf(lettersTo(ana.email)[0]!.raw))
  await browser.submit(await browser.go(link), { password: `${password} anew` })
  await sender.sendDue()
  const letter = lettersTo(ana.email).at(-1)!
  assert.equal(letter.header('Subject'), 'Your password was changed')
  assert.match(bodyOf(letter.raw), /Apps that still have access:\s+Back office/)
  assert.match(bodyOf(letter.raw), /text\/html/)
})
