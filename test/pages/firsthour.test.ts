// A merchant's first hour in a real browser, by clicks alone: from the link of the start to an order that is fulfilled
// and refunded, and an invited colleague. No address is typed. The shopper's own clicks do not count.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { createUser } from '../../src/identity/accounts/operations.ts'
import { makeLink } from '../../src/identity/accounts/links.ts'
import { complaintsOf, openChromium } from '../chromium.ts'
import { openOauthWorld, password } from '../oauth.ts'
import { noisyPicture } from '../uploads.ts'
import { ana as shopper, fill } from './casa-nogal.ts'
import { typeTokens } from './merchant.ts'

const world = await openOauthWorld({ host: 'localhost' })

test('the first hour takes 35 clicks', async () => {
  const context = await openChromium({ width: 1440 })
  const complaints = complaintsOf(context)
  const page = await context.newPage()
  const main = page.locator('main')
  let clicks = 0
  const click = async (what: Locator) => {
    clicks++
    await what.click()
  }
  const press = (name: string) => click(main.getByRole('button', { name, exact: true }).first())
  const pay = () => click(main.getByRole('button', { name: /^Mark \$\d+\.\d\d as paid$/ }).first())
  const follow = (name: string) => click(main.getByRole('link', { name, exact: true }).first())
  const open = async (name: string, title = name) => {
    await click(page.getByRole('link', { name, exact: true }).first())
    await main.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor()
  }
  const confirms = (text: string) => page.locator('#said').getByText(text).first().waitFor()

  await page.goto(await firstLink())
  await click(page.getByRole('button').first())
  await click(page.getByRole('link', { name: 'Create store' }))
  await main.getByLabel('Name').fill('Casa Nogal')
  await press('Create store')
  await page.waitForURL(/\/dashboard\/[A-Z]{2}-\w+/)

  await follow('Add your first product')
  await main.getByLabel('Name', { exact: true }).fill('Linen shirt')
  await main.getByLabel('Price USD', { exact: true }).fill('24.50')
  for (const [index, [name, values]] of Object.entries({ Size: ['S', 'M', 'L'], Color: ['Blue', 'White'] }).entries()) {
    const option = main.getByRole('group', { name: `Option ${index + 1}` })
    if (index > 0) await press('Add another option')
    await option.getByLabel('Option name').fill(name)
    await typeTokens(option.getByLabel('Option values'), values)
  }
  await main.locator('.matrix [data-row]:visible').nth(5).waitFor()
  for (const stock of await main.locator('[name$=".stock_quantity"]:visible').all()) await stock.fill('10')
  const pictures = await Promise.all(
    [1, 2, 3].map(async (n) => ({ name: `${n}.png`, mimeType: 'image/png', buffer: await noisyPicture() })),
  )
  clicks++ // opens the chooser of files
  await main.locator('input[type=file]').first().setInputFiles(pictures)
  await main.locator('.pictures img').nth(2).waitFor()
  await press('Create product')
  await page.getByText('Product created').first().waitFor()
  assert.equal(await main.locator('.matrix [data-row]:visible').count(), 6)

  await open('Home')
  await follow('Set up shipping')
  await main.locator('[name=price]').fill('5')
  await press('Add shipping rate')
  await confirms('Added')
  await open('Payments')
  await follow('Add manual method')
  await press('Add manual method')
  await confirms('Added')
  await open('Taxes')
  await main.getByLabel('Default tax rate (%)').fill('8')
  await press('Save')
  await confirms('Saved')
  await open('Contact')
  await main.getByLabel('Legal name').fill('Casa Nogal LLC')
  await main.getByLabel('Contact email').fill('hello@casa.example')
  await press('Save')
  await confirms('Saved')
  await open('Team')
  await main.getByLabel('Email', { exact: true }).fill('dora@example.com')
  await press('Send invitation')
  await confirms('Invitation sent')
  await open('Back to Home', 'Home')
  await open('Online store', 'Appearance')
  await open('Policies')
  await click(main.getByRole('link', { name: /^Terms of service/ }))
  await main.locator('textarea').first().fill('All sales are final.')
  await main.getByLabel('Title', { exact: true }).fill('Terms of sale')
  await press('Save')
  await main.getByRole('heading', { name: 'Policies' }).waitFor()
  await open('Home')
  await press('Open online store')
  await confirms('Online store opened')
  const shopUrl = await page.getByRole('link', { name: 'View online store' }).getAttribute('href')
  await click(page.getByRole('link', { name: 'View online store' }))
  await buy(new URL(shopUrl!, page.url()).href)

  await open('Orders')
  await click(main.locator('.list tbody a').first())
  await click(main.locator('#do-fulfil > summary'))
  await press('Fulfill items')
  await confirms('Items fulfilled')
  await pay()
  await click(page.getByRole('dialog').getByRole('button', { name: /^Mark .* as paid$/ }))
  await main.getByText('Paid', { exact: true }).first().waitFor()
  await click(main.locator('summary', { hasText: 'Refund' }))
  await main.locator('form:has([value=refund]) input.number').first().fill('1')
  await click(main.locator('#do-refund .send button'))
  await page.getByText('Refund issued').first().waitFor()
  assert.equal(clicks, 35)
  assert.deepEqual(complaints, [])
  await context.close()
})

/** A shirt, on a phone. */
async function buy(shopUrl: string): Promise<void> {
  const context = await openChromium({ width: 390 })
  const page = await context.newPage()
  await page.goto(`${shopUrl}/products/linen-shirt`)
  await page.locator('#add').click()
  await page.locator('button[value=checkout]').click()
  await page.waitForURL(/\/checkout$/)
  await fill(page, shopper)
  await page.locator('#place').click()
  await page.waitForURL(/\/orders\//)
  await context.close()
}

/** As the server prints it at its first start. */
async function firstLink(): Promise<string> {
  const link = await world.app.db.transaction(async (tx) => {
    const id = await createUser(tx, { email: 'carla@example.com', password, name: 'Carla' })
    return makeLink(tx, id, 'sign_in')
  })
  return `${world.issuer}/oauth/sign-in/${link}`
}
