// The interactive reference in Chromium: it renders from this server alone, under its own policy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complaintsOf, openChromium } from '../chromium.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()

test('the reference shows the operations, asks nobody else for anything, and breaks no policy', async () => {
  const context = await openChromium()
  const complaints = complaintsOf(context)
  const foreign: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (/^https?:/.test(url) && !url.startsWith(world.url)) foreign.push(url)
  })
  const page = await context.newPage()
  const answer = await page.goto(`${world.url}/reference`)
  assert.match(answer!.headers()['content-security-policy']!, /default-src 'none'; script-src 'self';/)
  await page.getByText('Change the store', { exact: true }).first().waitFor({ timeout: 30_000 })
  await page.getByText('Storefront', { exact: true }).first().click()
  await page.getByRole('heading', { name: 'What a shopper may know of the store' }).waitFor({ timeout: 30_000 })
  assert.deepEqual(foreign, [])
  assert.deepEqual(complaints, [])
  await context.close()
})
