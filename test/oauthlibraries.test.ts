// The examples of client libraries in docs/guides/oauth.md, run as they are written. Only TLS is missing:
// openid-client is allowed to do without.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { client } from './client.ts'
import { openOauthWorld, toConsent, type Merchant } from './oauth.ts'

const root = path.join(import.meta.dirname, '..')
const guide = readFileSync(path.join(root, 'docs/guides/oauth.md'), 'utf8')
// Below the root, where Node finds what the examples import.
const folder = path.join(root, 'node_modules', '.cache', `oauthlibraries-${process.pid}`)
mkdirSync(folder, { recursive: true })
after(() => rmSync(folder, { recursive: true, force: true }))

const world = await openOauthWorld()

/** The example with the values that it names, as a module that exports what it declares. */
async function runExample(library: string, values: object, exported: string): Promise<any> {
  const blocks = [...guide.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code!)
  const code = blocks.find((block) => block.includes(`from '${library}'`))!
  const insecure = 'CLIENT_SECRET, undefined, { execute: [oauth.allowInsecureRequests] })'
  const names = Object.keys(values)
  const key = `example ${library}`
  Object.assign(globalThis, { [key]: values })
  const file = path.join(folder, `${library.replaceAll(/\W/g, '')}.mjs`)
  const lines = [`const { ${names.join(', ')} } = globalThis['${key}']`, code, exported]
  writeFileSync(file, lines.join('\n').replace(/CLIENT_SECRET\)$/m, insecure))
  return import(pathToFileURL(file).href)
}

async function registerApp(callback: string) {
  const metadata = { redirect_uris: [callback], grant_types: ['authorization_code', 'refresh_token'] }
  const { body } = await world.register({ ...metadata, scope: 'read:store' })
  return {
    AUTH_URL: world.issuer,
    BASE: world.url,
    CALLBACK: callback,
    CLIENT_ID: body.client_id as string,
    CLIENT_SECRET: body.client_secret as string,
  }
}

/** The merchant signs in and allows; returns where the browser is sent. */
function visitAs(merchant: Merchant, callback: string) {
  return async (url: URL): Promise<URL> => {
    const consent = await toConsent(merchant, url.href)
    const end = await merchant.browser.submit(consent, { decision: 'allow' }, (to) => to.startsWith(callback))
    return new URL(end.location!)
  }
}

const readStore = async (token: string) =>
  (await client(world.url, { authorization: `Bearer ${token}` }).get('/v1/store')).data.id

for (const [library, pick] of [
  ['openid-client', (tokens: any) => tokens],
  ['simple-oauth2', ({ token }: any) => token],
] as const) {
  test(`the example of ${library} gets tokens for a store and renews them`, async () => {
    const merchant = await world.newMerchant()
    const app = await registerApp('https://printer.example/callback')
    const visit = visitAs(merchant, app.CALLBACK)
    const { tokens, renewed } = await runExample(library, { ...app, visit }, 'export { tokens, renewed }')
    assert.notEqual(pick(renewed).access_token, pick(tokens).access_token)
    assert.equal(await readStore(pick(renewed).access_token), merchant.store.store.id)
  })
}

test('the example of Auth.js signs a merchant in as the store', async () => {
  const site = 'https://printer.example/auth'
  const merchant = await world.newMerchant()
  const app = await registerApp(`${site}/callback/stoa`)
  const { answer } = await runExample('@auth/core', { ...app, AUTH_SECRET: 'a secret of the app' }, '')
  const cookies = new Map<string, string>()
  const ask = async (address: string, body?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const request = new Request(address, {
      method: body ? 'POST' : 'GET',
      headers: { cookie },
      ...(body ? { body } : {}),
    })
    const response = (await answer(request)) as Response
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    return response
  }
  const { csrfToken } = (await (await ask(`${site}/csrf`)).json()) as { csrfToken: string }
  const start = await ask(`${site}/signin/stoa`, new URLSearchParams({ csrfToken }))
  const visit = visitAs(merchant, app.CALLBACK)
  const returned = await visit(new URL(start.headers.get('location')!))
  assert.equal((await ask(returned.href)).status, 302)
  const session = (await (await ask(`${site}/session`)).json()) as { user: { name: string } }
  assert.equal(session.user.name, merchant.store.store.name)
})
