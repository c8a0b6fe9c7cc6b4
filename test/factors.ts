// People with a second factor, set up as they set it up: on the screen, with the code that their app shows.
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import type { OauthWorld, Merchant } from './oauth.ts'
import { password } from './oauth.ts'

/** What the app shows so many seconds from now. */
export function codeOf(world: Pick<OauthWorld, 'clock'>, secret: string, seconds = 0): string {
  return generateSync({ secret, epoch: Math.floor(world.clock.now().getTime() / 1000) + seconds })
}

/** A call of the portal's JSON by somebody who is signed in. */
export async function portal(world: OauthWorld, { browser }: Merchant, method: string, path: string, body?: object) {
  const page = await browser.visit(`${world.issuer}/oauth/portal/api${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
    headers: { 'content-type': 'application/json' },
  })
  return { status: page.status, ...(JSON.parse(page.text) as { data: any; error: any }) }
}

export async function logIn({ issuer }: OauthWorld, { browser, email }: Merchant, given = password) {
  return browser.submit(await browser.go(`${issuer}/oauth/login`), { email, password: given })
}

/** Signed in, with an app; answers its secret and the recovery codes. */
export async function withApp(world: OauthWorld, merchant: Merchant): Promise<{ secret: string; codes: string[] }> {
  await logIn(world, merchant)
  const { data } = await portal(world, merchant, 'POST', '/account/totp')
  const { secret } = data as { secret: string }
  const confirmed = await portal(world, merchant, 'POST', '/account/totp/confirm', { code: codeOf(world, secret) })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.error))
  // The code that has confirmed it is used.
  world.clock.advance(60)
  return { secret, codes: confirmed.data.recovery_codes }
}
