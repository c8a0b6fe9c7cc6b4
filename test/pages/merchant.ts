// A merchant in a real browser, signed in to the dashboard of a store of their own.
import type { Locator, Page } from 'playwright-core'
import { complaintsOf, openChromium, type Look } from '../chromium.ts'
import { password, type Merchant, type OauthWorld } from '../oauth.ts'

/** `base`: what addresses of the store's screens begin with. `heard`: what the browser has complained of so far. */
export type Desk = { page: Page; ana: Merchant; base: string; heard: string[] }

/** Types values that become chips. */
export async function typeTokens(input: Locator, values: readonly string[]): Promise<void> {
  for (const value of values) {
    await input.fill(value)
    await input.press('Enter')
  }
}

export async function enterAs(world: OauthWorld, look: Look = {}): Promise<Desk> {
  const ana = await world.newMerchant()
  const context = await openChromium(look)
  const heard = complaintsOf(context)
  const page = await context.newPage()
  await page.goto(`${world.issuer}/dashboard`)
  await page.locator('[name=email]').fill(ana.email)
  await page.locator('[name=password]').fill(password)
  await page.locator('[name=password]').press('Enter')
  await page.waitForURL(/\/dashboard\/\w/)
  return { page, ana, heard, base: `${world.issuer}/dashboard/${ana.store.store.id}` }
}
