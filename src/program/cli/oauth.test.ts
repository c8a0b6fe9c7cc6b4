// The operator's commands of OAuth and accounts, as they are typed, against a server that runs.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newTokens, openOauthWorld, toConsent, authorizeUrl } from '../../../test/oauth.ts'

const world = await openOauthWorld({ sweeps: true })
const secretKey = 'a key of the tests, 32 characters'

async function stoa(...typed: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(process.execPath, ['src/program/cli.ts', '--json', ...typed], {
    cwd: new URL('../../..', import.meta.url).pathname,
    env: {
      ...process.env,
      DATABASE_URL: world.app.db.pool.options.connectionString!,
      SECRET_KEY: secretKey,
      AUTH_URL: world.issuer,
    },
  })
  return JSON.parse(stdout)
}

test('a client that the operator makes goes all the way, and its software can be verified', async () => {
  const redirect = 'https://office.example/cb'
  const merchant = await world.newMerchant()
  const made = await stoa(
    'client',
    'create',
    '--name',
    'Back office',
    '--redirect-uri',
    redirect,
    '--scope',
    'read:orders',
    '--software-id',
    'office',
  )
  assert.deepEqual(Object.keys(made), ['client_id', 'client_secret'])
  const app = { ...made, redirect_uri: redirect }
  assert.match((await newTokens(world, merchant, app)).scope, /read:orders/)
  assert.doesNotMatch((await toConsent(merchant, authorizeUrl(world.issuer, app))).text, /✓ Verified/)
  await stoa('client', 'verify', 'office', '--host', 'office.example')
  assert.match((await toConsent(merchant, authorizeUrl(world.issuer, app))).text, /✓ Verified/)
})

test('a link of the operator signs a user in', async () => {
  const { email, browser } = await world.newMerchant()
  const { url } = await stoa('user', 'link', '--email', email.toUpperCase())
  assert.match((await browser.submit(await browser.go(url), {})).text, /Signed in as/)
})

test('the outbox shows the mail that no server took', async () => {
  const { email, browser } = await world.newMerchant()
  await browser.submit(await browser.go(`${world.issuer}/oauth/reset`), { email })
  await world.app.sender.sendDue()
  const { letters } = await stoa('outbox', '--limit', '500')
  const found = letters.find(({ to }: { to: string }) => to === email)
  assert.match(found.text, new RegExp(`${world.issuer}/oauth/reset/[\\w-]+`))
})
