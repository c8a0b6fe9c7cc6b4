// Redirects in a real browser: added, corrected, searched, exported and deleted; a shopper follows one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults, type Look } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const enter = (look?: Look) => enterAs(world, look)

for (const javaScript of [true, false]) {
  test(`a merchant adds, corrects, finds, exports and deletes redirects (script: ${javaScript})`, async () => {
    const { page, ana, base, heard } = await enter({ javaScript })
    const { api, store } = ana.store
    await api.post('/v1/products', { name: 'Blue mug', price: 5 })
    await page.goto(`${base}/shop/redirects`)
    await page.getByText('No redirects').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Add redirect' }).first().click()
    await page.getByLabel('Old path').fill('https://old.example/mug')
    await page.getByLabel('Redirects to').fill('//evil.example')
    await page.getByRole('button', { name: 'Add redirect' }).click()
    await page.getByText('Enter a path that starts with /, without a domain or #.').waitFor()
    await page.getByText('Enter a path that starts with /, or an https URL.').waitFor()
    await page.getByLabel('Old path').fill('/shop/Blue-Mug/')
    await page.getByLabel('Redirects to').fill('/shop/blue-mug')
    await page.getByRole('button', { name: 'Add redirect' }).click()
    await page.getByText('This leads back to /shop/blue-mug.').first().waitFor()
    await page.getByLabel('Redirects to').fill('/products/blue-mug')
    await page.getByRole('button', { name: 'Add redirect' }).click()
    await page.getByRole('link', { name: '/shop/blue-mug' }).waitFor()

    await api.post('/v1/redirects', { path: '/blog', target: 'https://journal.example/' })
    await page.goto(`${base}/shop/redirects?search=journal`)
    await page.getByRole('link', { name: '/blog' }).waitFor()
    assert.equal(await page.getByRole('link', { name: '/shop/blue-mug' }).count(), 0)
    const href = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')
    const exported = await page.request.get(new URL(href!, page.url()).href)
    assert.equal(await exported.text(), '\ufeffrow_type,path,target\r\nredirect,/blog,https://journal.example/\r\n')

    await page.goto(`${base}/shop/redirects`)
    await page.getByRole('main').getByRole('link', { name: 'Import' }).click()
    assert.equal(await page.getByLabel('What’s in the file').first().inputValue(), 'redirects')

    const visitor = await page.context().newPage()
    await visitor.goto(`${world.url}/s/${store.slug}/shop/blue-mug/?color=blue`)
    assert.equal(new URL(visitor.url()).pathname, `/s/${store.slug}/products/blue-mug`)
    await visitor.getByRole('heading', { name: 'Blue mug' }).waitFor()

    await page.goto(`${base}/shop/redirects`)
    await page.getByRole('link', { name: '/blog' }).click()
    await page.getByLabel('Old path').fill('/shop/blue-mug')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This already exists. Choose a different one.').first().waitFor()
    await page.goto(page.url())
    await page.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole(javaScript ? 'dialog' : 'main')
    await question.getByRole('button', { name: 'Delete' }).last().click()
    await page.getByRole('link', { name: '/shop/blue-mug' }).waitFor()
    assert.deepEqual(
      dataOf(await api.get('/v1/redirects'), 200).map(({ path }: any) => path),
      ['/shop/blue-mug'],
    )
    assert.deepEqual(heard, [])
  })
}

for (const look of [{ width: 1440 }, { width: 390, dark: true, locale: 'de-DE' }] as const) {
  test(`no screen of redirects has a barrier or is wider than its window (${look.width})`, async () => {
    const { page, ana, base, heard } = await enter(look)
    const shots = process.env.SHOTS
    const seen = async (path: string, name: string) => {
      await page.goto(base + path)
      if (shots) await page.screenshot({ path: `${shots}/redirects-${look.width}-${name}.png` })
      assert.deepEqual(await accessibilityFaults(page), [], path)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, path)
    }
    await seen('/shop/redirects', 'empty')
    const { api } = ana.store
    for (const path of ['/blogs/news/first-day-of-the-summer-sale', `/${'long-'.repeat(60)}`, '/café?p=1'])
      await api.post('/v1/redirects', { path, target: `/products/mug?from=${path.length}` })
    const { id } = dataOf(await api.post('/v1/redirects', { path: '/away', target: 'https://journal.example/' }), 201)
    await seen('/shop/redirects', 'list')
    await seen(`/shop/redirects/${id}`, 'one')
    await seen('/shop/redirects/new', 'new')
    assert.deepEqual(heard, [])
  })
}
