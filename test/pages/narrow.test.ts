// No text of the dashboard is longer than its place: every screen fits the smallest phone in every language. A browser
// opens it in those that try it most: with the longest word, and with the most text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { screens } from '../../src/dashboard/screens/screens.ts'
import { languages, type Language } from '../../src/kit/values/language.ts'
import { openChromium } from '../chromium.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'
import { openOauthWorld } from '../oauth.ts'

const world = await openOauthWorld()

/** Screens that differ from another one in their texts alone. */
const alike = /^\/(settings\/mail\/(?!log|order-paid)|shop\/(policies\/(?!terms)|languages\/(?!fr)))/

const accepting = (language: Language) => ({ 'accept-language': language })

async function hardestLanguages(page: Page, address: string): Promise<Language[]> {
  const tried: { language: Language; longest: number; whole: number }[] = []
  for (const language of languages) {
    const html = await (await page.request.get(address, { headers: accepting(language) })).text()
    const text = html.replaceAll(/<(script|style)[^]*?<\/\1>|<[^>]*>/g, ' ')
    const words = text.split(/[\s/-]+/)
    tried.push({ language, longest: Math.max(...words.map(({ length }) => length)), whole: words.join('').length })
  }
  const most = (measure: 'longest' | 'whole') => tried.toSorted((a, b) => b[measure] - a[measure])[0]!.language
  return [...new Set([most('longest'), most('whole')])]
}

test('every screen fits 320 pixels in the languages with its longest words and texts', async () => {
  const { page: first, ana, base } = await enterAs(world, { width: 320 })
  const { api } = ana.store
  const line = { product_name: 'Mug', unit_price: 20, quantity: 2 }
  const { id } = dataOf(await api.post('/v1/orders', { customer_name: 'Ben', items: [line] }), 201)
  const product = dataOf(await api.post('/v1/products', { name: 'Mug', price: 20, track_inventory: true }), 201)
  const customer = dataOf(await api.post('/v1/customers', { name: 'Ben', email: 'ben@example.com' }), 201)
  const paths = screens.filter(({ params, path }) => !params && !alike.test(path)).map(({ path }) => path)
  const cookies = await first.context().cookies()
  const pages = new Map<Language, Page>()
  const pageIn = async (locale: Language) => {
    const context = await openChromium({ width: 320, locale })
    await context.addCookies(cookies)
    pages.set(locale, await context.newPage())
    return pages.get(locale)!
  }
  const tooWide: string[] = []
  for (const path of [
    ...paths,
    `/orders/${id}`,
    `/products/${product.id}`,
    `/customers/${customer.id}`,
    `/orders/print?ticked=${id}&what=invoice`,
  ]) {
    for (const language of await hardestLanguages(first, base + path)) {
      const page = pages.get(language) ?? (await pageIn(language))
      await page.goto(base + path)
      assert.equal(await page.locator('html').getAttribute('lang'), language)
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (Number(excess) > 0) tooWide.push(`${path} in ${language}: ${excess} px`)
    }
  }
  assert.deepEqual(tooWide, [])
  assert.ok(pages.size > 2, [...pages.keys()].join())
})
