// The OAuth side of the tests' world: an issuer that is where it says, merchants, apps, and the way between them.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { addMember, createUser } from '../src/identity/accounts/operations.ts'
import type { Role } from '../src/identity/accounts/user.ts'
import type { FetchOptions } from '../src/platform/outbound/fetch.ts'
import { newUuid, publicId } from '../src/kit/values/ids.ts'
import { openBrowser, type Browser, type Page } from './browser.ts'
import { openWorld, type TestStore, type World } from './world.ts'

export type OauthWorld = World & {
  /** AUTH_URL */
  issuer: string
  /** A form or JSON to an endpoint, each from an address of its own. */
  post(
    path: string,
    body: Record<string, string> | URLSearchParams | object,
    headers?: Record<string, string>,
  ): Promise<Answer>
  register(metadata?: object, headers?: Record<string, string>): Promise<Answer>
  newMerchant(options?: { role?: Role; stores?: TestStore[] }): Promise<Merchant>
}
export type Answer = { status: number; headers: Headers; body: any; text: string }
export type Merchant = {
  id: string
  userId: string
  email: string
  password: string
  store: TestStore
  browser: Browser
}
export type App = { client_id: string; client_secret?: string; redirect_uri: string }

export const password = 'correct horse battery'

export async function openOauthWorld({
  host = '127.0.0.1',
  path = '',
  environment = {},
  network,
  delivers,
  sweeps,
}: {
  host?: string
  path?: string
  environment?: Record<string, string>
  network?: Partial<FetchOptions>
  delivers?: boolean
  sweeps?: boolean
} = {}): Promise<OauthWorld> {
  const origin = `http://${host}:${await freePort()}`
  const issuer = origin + path
  const world = await openWorld(
    { PORT: new URL(origin).port, BASE_URL: origin, AUTH_URL: issuer, TRUSTED_PROXIES: '127.0.0.1', ...environment },
    { network, delivers, sweeps },
  )
  return atIssuer({ ...world, newMerchant: (options) => newMerchant(world, options) }, issuer)
}

/** The same world, asked at another of its addresses. */
export function atIssuer<W extends Omit<OauthWorld, 'issuer' | 'post' | 'register'>>(
  world: W,
  issuer: string,
): W & Pick<OauthWorld, 'issuer' | 'post' | 'register'> {
  const post: OauthWorld['post'] = async (endpoint, body, headers = {}) => {
    const isForm = body instanceof URLSearchParams || headers['content-type'] === undefined
    const response = await fetch(issuer + endpoint, {
      method: 'POST',
      headers: { 'x-forwarded-for': someAddress(), ...headers },
      body: isForm ? new URLSearchParams(body as Record<string, string>) : JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    }
  }
  return {
    ...world,
    issuer,
    post,
    register: (metadata = {}, headers = {}) =>
      post(
        '/oauth/register',
        {
          client_name: 'Order printer',
          redirect_uris: ['https://printer.example/callback'],
          scope: 'read:orders read:products',
          ...metadata,
        },
        { 'content-type': 'application/json', ...headers },
      ),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

let addresses = 0

/** Another each time: rate limits count by address. */
export function someAddress(): string {
  const index = ++addresses
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
}

async function newMerchant(
  world: World,
  { role = 'owner', stores }: { role?: Role; stores?: TestStore[] } = {},
): Promise<Merchant> {
  const own = stores ?? [await world.newStore()]
  const email = `${newUuid()}@example.com`
  const userId = await world.app.db.transaction(async (tx) => {
    const id = await createUser(tx, { email, password, name: 'Ana' })
    for (const { store } of own) await addMember(tx, store, id, role)
    return id
  })
  return {
    id: publicId('usr', userId),
    userId,
    email,
    password,
    store: own[0]!,
    browser: openBrowser({ 'x-forwarded-for': someAddress() }),
  }
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export function authorizeUrl(issuer: string, app: App, more: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: app.redirect_uri,
    scope: 'read:orders',
    state: 'xyz',
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${issuer}/oauth/authorize?${new URLSearchParams(given)}`
}

/** Registers an app and answers what it needs to know of itself. */
export async function newApp(world: OauthWorld, metadata: object = {}): Promise<App> {
  const { status, body } = await world.register({ grant_types: ['authorization_code', 'refresh_token'], ...metadata })
  assert.equal(status, 201, JSON.stringify(body))
  return { client_id: body.client_id, client_secret: body.client_secret, redirect_uri: body.redirect_uris[0] }
}

/** From the address that an app sends a merchant to, to the consent page; signs in on the way when needed. */
export async function toConsent({ browser, email, password }: Merchant, url: string): Promise<Page> {
  const page = await browser.go(url)
  if (!page.url.includes('/oauth/login')) return page
  return browser.submit(page, { email, password })
}

/** All the way: the parameters that the app finds in its redirect. */
export async function allow(
  merchant: Merchant,
  app: App,
  url: string,
  fields: Record<string, string> = {},
): Promise<URLSearchParams> {
  const consent = await toConsent(merchant, url)
  const end = await merchant.browser.submit(consent, { decision: 'allow', ...fields }, (to) =>
    to.startsWith(app.redirect_uri),
  )
  assert.ok(end.location?.startsWith(app.redirect_uri), `${end.status} ${end.text}`)
  return new URL(end.location!).searchParams
}

export function basic({ client_id, client_secret = '' }: App): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
}

/** A code for the app, with what is needed to exchange it. */
export async function newCode(world: OauthWorld, merchant: Merchant, app: App, more: Record<string, string> = {}) {
  const { verifier, challenge } = pkce()
  const answer = await allow(merchant, app, authorizeUrl(world.issuer, app, { code_challenge: challenge, ...more }))
  return {
    grant_type: 'authorization_code',
    code: answer.get('code')!,
    redirect_uri: app.redirect_uri,
    code_verifier: verifier,
  }
}

/** Tokens of the app for the merchant's store. */
export async function newTokens(world: OauthWorld, merchant: Merchant, app: App, more: Record<string, string> = {}) {
  const { status, body } = await world.post('/oauth/token', await newCode(world, merchant, app, more), basic(app))
  assert.equal(status, 200, JSON.stringify(body))
  return body as { access_token: string; refresh_token: string; expires_in: number; scope: string; token_type: string }
}
