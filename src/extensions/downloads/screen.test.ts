// The dashboard's pages about downloads, by a browser without a script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold } from '../../../test/shop.ts'
import { staffOf } from '../../../test/staff.ts'
import { sendDownload } from '../../../test/uploads.ts'
import { openWorld } from '../../../test/world.ts'
import { dashboardTranslator } from '../../dashboard/framework/messages.ts'
import { languages } from '../../kit/values/language.ts'

const world = await openWorld()

test('what was refunded cannot be renewed, and what staff ended can', async () => {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop])
  const [book, song] = [await shop.product({ name: 'Book' }), await shop.product({ name: 'Song' })]
  for (const { id } of [book, song]) dataOf(await sendDownload(shop.api, { product_id: id }), 201)
  dataOf(await shop.api.post('/v1/downloads/keys', { product_id: book.id, keys: 'AAAA-1111' }), 200)
  const order = await shop.order([sold(book), sold(song)], { payment_status: 'paid' })
  const grants = dataOf(await shop.api.get(`/v1/downloads/grants?order_id=${order.id}`), 200)
  const idsOf = ({ id }: any) => grants.filter((one: any) => one.product_id === id).map((one: any) => one.id)
  const path = `/${shop.store.id}/orders/${order.id}/downloads`
  const renewable = async () =>
    (await ana.get(path)).text
      .split('<form')
      .filter((form) => form.includes('value="renew"'))
      .map((form) => /name="grant_id" value="(\w+)"/.exec(form)![1])
  const [bookIds, [songId]] = [idsOf(book), idsOf(song)]
  assert.equal(bookIds.length, 2)
  assert.ok((await renewable()).includes(songId))

  for (const { id } of grants) dataOf(await shop.api.post(`/v1/downloads/grants/${id}/revoke`, {}), 200)
  assert.deepEqual((await renewable()).toSorted(), [...bookIds, songId].toSorted())
  const item_id = grants.find(({ product_id }: any) => product_id === book.id).item_id
  dataOf(await shop.api.post(`/v1/orders/${order.id}/refunds`, { items: [{ item_id, quantity: 1 }] }), 201)
  assert.deepEqual(await renewable(), [songId])

  for (const language of languages) {
    const refused = await ana.post(path, { act: 'renew', grant_id: bookIds[0] }, { 'accept-language': language })
    const t = dashboardTranslator(language)
    assert.equal(refused.status, 409)
    assert.ok(refused.text.includes(t('downloads_not_renewed')), language)
    assert.ok(!refused.text.includes(t('refused_exists')), language)
  }
  assert.equal((await ana.post(path, { act: 'renew', grant_id: songId })).notice, 'downloads_renewed')
})

test('the timeline of an order names the email with its downloads', async () => {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop])
  const book = await shop.product({ name: 'Book' })
  dataOf(await sendDownload(shop.api, { product_id: book.id }), 201)
  const buyer = { customer_email: 'ben@example.com', notify_customer: true }
  const order = await shop.order([sold(book)], { payment_status: 'paid', ...buyer })
  await world.app.jobs.run('downloads: email')
  const { text } = await ana.get(`/${shop.store.id}/orders/${order.id}`)
  assert.ok(text.includes('<p>Email: Downloads for the buyer</p>'))
})

test('the page of a product’s downloads names it, and after an upload its form has another input', async () => {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop])
  const product = await shop.product({ name: 'Tea & cake' })
  const path = `/${shop.store.id}/products/${product.id}/downloads`
  const fileInput = async () => {
    const { text } = await ana.get(path)
    assert.match(text, /<h1 id="title">Downloads · Tea &amp; cake<\/h1>/)
    const [, id] = /<input id="([^"]+)" type="file"/.exec(text)!
    assert.ok(text.includes(`<label for="${id}">`))
    return id
  }
  const seen = [await fileInput()]
  for (const name of ['One', 'Two']) {
    dataOf(await sendDownload(shop.api, { product_id: product.id, name }), 201)
    seen.push(await fileInput())
  }
  assert.equal(new Set(seen).size, 3)
  assert.equal(await fileInput(), seen[2])
})

test('a product with files that is still shipped says so, with a link to its form', async () => {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop])
  const kind = (value: string) => ({ option_values: [{ option_title: 'Kind', value }] })
  const { id, variants } = await shop.product({ name: 'Book', variants: [kind('Paper'), kind('PDF')] })
  const path = `/${shop.store.id}/products/${id}`
  const hints = async () => (await ana.get(`${path}/downloads`)).text.includes('This product is still shipped')
  const change = async (body: object) => dataOf(await shop.api.patch(`/v1/products/${id}`, body), 200)
  assert.equal(await hints(), false)
  dataOf(await sendDownload(shop.api, { product_id: id }), 201)
  assert.equal(await hints(), true)
  const { text } = await ana.get(`${path}/downloads`)
  assert.match(
    text,
    /Turn off “This product is shipped” if it is a download only\. <a href="[^"]*\/products\/\w+">Book</,
  )
  const paper = (requires_shipping: boolean | null) => ({ variants: [{ id: variants[1].id, requires_shipping }] })
  await change(paper(false))
  assert.equal(await hints(), false)
  await change(paper(null))
  assert.equal(await hints(), true)
  await change({ requires_shipping: false })
  assert.equal(await hints(), false)
})
