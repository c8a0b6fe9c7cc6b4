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
  await page.getByText('Create a product', { exact: true }).first().waitFor()
  await page.getByText('Storefront', { exact: true }).first().click()
  await page.getByRole('heading', { name: 'Get public store information' }).waitFor()
  const start = await (await fetch(`${world.url}/reference/start.js`)).text()
  assert.match(start, /"value": "wk_test_your_key"/)
  await page.getByText('Products', { exact: true }).first().click()
  await page.getByText('Create a product', { exact: true }).first().click()
  await page.getByText("--header 'X-API-Key: ").first().waitFor()
  await page.getByText('$(uuidgen)').first().waitFor()
  assert.deepEqual(foreign, [])
  assert.deepEqual(complaints, [])
  await context.close()
})
