import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMailServer } from '../../../test/mailserver.ts'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { send } from '../../../test/uploads.ts'
import { openWorld } from '../../../test/world.ts'
import { orderPath } from '../../commerce/orders/link.ts'
import { dashboardTranslator } from '../../dashboard/framework/messages.ts'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import { languages } from '../../kit/values/language.ts'
import { openShopLinks } from '../../tenancy/extensions/shoplinks.ts'

const server = await openMailServer()
const environment = { SMTP_URL: server.url, MAILS_PER_MINUTE: '100000', BASE_URL: 'http://shop.example' }
const world = await openWorld(environment, { sweeps: true })
const day = 24 * 60 * 60

const manual = Buffer.from('%PDF-1.7 How to use the mug')

/** The uploaded file has the name for buyers, unless it is said. */
const upload = async (
  { api }: Shop,
  product: any,
  more: Record<string, string> = {},
  bytes: Uint8Array = manual,
  fileName = more.name ?? 'Manual.pdf',
) => send(api, bytes, { product_id: product.id, ...more }, fileName, {}, '/v1/downloads/files')

const pay = (shop: Shop, items: any, more: object = {}) => shop.order(items, { payment_status: 'paid', ...more })

const grantsOf = async ({ api }: Shop, { id }: any) => dataOf(await api.get(`/v1/downloads/grants?order_id=${id}`), 200)

const linkOf = ({ store }: Shop, id: string) =>
  openShopLinks(world.app.vault, store.id, 'downloads').sign(toUuid('dlg', id)!)

async function visit({ store }: Shop, path: string, language = 'en') {
  const response = await fetch(`${world.url}/s/${store.slug}${path}`, { headers: { 'accept-language': language } })
  return { status: response.status, text: await response.text() }
}

async function download({ store }: Shop, link: string, language = 'en') {
  const response = await fetch(`${world.url}/s/${store.slug}/downloads/${link}`, {
    method: 'POST',
    headers: { 'accept-language': language },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('a file is uploaded for a product, listed and deleted', async () => {
  const shop = await newShop(world)
  const product = await shop.product()
  const { status, data, headers } = await upload(shop, product)
  assert.equal(status, 201)
  assert.equal(headers.get('location'), `/v1/downloads/files/${data.id}`)
  const { id, created_at, ...facts } = data
  const own = { name: 'Manual.pdf', content_type: 'application/pdf', bytes: manual.length }
  assert.deepEqual(facts, { product_id: product.id, variant_id: null, ...own })
  assert.deepEqual(dataOf(await shop.api.get(`/v1/downloads/files?product_id=${product.id}`), 200), [data])
  assert.deepEqual(dataOf(await shop.api.get(`/v1/downloads/files?variant_id=${newUuid()}`), 200), [])
  for (const path of [`downloads/${toUuid('dlf', id)}`, `downloads/${toUuid('dlf', id)}/1280.jpg`])
    assert.equal((await fetch(`${world.url}/media/${shop.store.id}/${path}`)).status, 404)
  assert.equal((await shop.api.delete(`/v1/downloads/files/${id}`)).status, 200)
  assert.equal((await shop.api.get(`/v1/downloads/files/${id}`)).status, 404)
  assert.ok(created_at)
})

test('a name for buyers gets the ending of the uploaded file', async () => {
  const shop = await newShop(world)
  const product = await shop.product()
  const [pdf, other] = ['application/pdf', 'application/octet-stream']
  const long = 'x'.repeat(200)
  for (const [fileName, given, name, type] of [
    ['pattern.pdf', 'Sewing pattern', 'Sewing pattern.pdf', pdf],
    ['pattern.pdf', 'Pattern v1.2', 'Pattern v1.2.pdf', pdf],
    ['pattern.pdf', 'Pattern.PDF', 'Pattern.PDF', pdf],
    ['PATTERN.PDF', 'Pattern', 'Pattern.pdf', pdf],
    ['pattern.pdf', 'Pattern.zip', 'Pattern.zip.pdf', pdf],
    ['pattern.pdf', ' ', 'pattern.pdf', pdf],
    ['photo.jpeg', 'Photo.jpg', 'Photo.jpg', 'image/jpeg'],
    ['brush.procreate', 'Brush', 'Brush.procreate', other],
    ['upload.tmp', 'Pattern.pdf', 'Pattern.pdf', pdf],
    ['pattern', 'Pattern.pdf', 'Pattern.pdf', pdf],
    ['pattern', 'Pattern', 'Pattern', other],
    ['pattern.pdf', long, `${long.slice(4)}.pdf`, pdf],
  ] as const) {
    const data = dataOf(await upload(shop, product, { name: given }, manual, fileName), 201)
    assert.deepEqual([data.name, data.content_type], [name, type], `${fileName} as ${given}`)
  }

  const mug = await shop.product()
  await upload(shop, mug, { name: 'Sewing pattern' }, manual, 'pattern.pdf')
  const [grant] = await grantsOf(shop, await pay(shop, mug))
  const { headers } = await download(shop, linkOf(shop, grant.id))
  assert.match(headers.get('content-disposition')!, /^attachment; filename="Sewing pattern\.pdf";/)
  assert.equal(headers.get('content-type'), pdf)
})

test('an upload is refused without a file, or for a product or variant that is not there', async () => {
  const shop = await newShop(world)
  const [product, shirt] = [await shop.product(), await shop.variants()]
  const bare = await shop.api.post('/v1/downloads/files', { product_id: product.id })
  assert.deepEqual(faultsOf(bare), { file: 'is required: send it as multipart/form-data' })
  const empty = await upload(shop, product, {}, Buffer.alloc(0))
  assert.deepEqual(faultsOf(empty), { file: 'must not be an empty file' })
  const foreign = await (await newShop(world)).product()
  assert.deepEqual(faultsOf(await upload(shop, foreign)), { product_id: 'does not exist' })
  const other = await upload(shop, product, { variant_id: shirt.variants[0].id })
  assert.deepEqual(faultsOf(other), { variant_id: 'does not exist' })
  assert.equal((await upload(shop, product, {}, Buffer.alloc(50 * 1024 * 1024 + 200_000))).status, 413)
})

test('a paid order grants its files, and a download counts', async () => {
  const shop = await newShop(world)
  const product = await shop.product()
  await upload(shop, product)
  const unpaid = await shop.order(product)
  assert.deepEqual(await grantsOf(shop, unpaid), [])
  dataOf(await shop.api.patch(`/v1/orders/${unpaid.id}`, { payment_status: 'paid' }), 200)
  const [grant, ...others] = await grantsOf(shop, unpaid)
  assert.deepEqual(others, [])
  const { name, status, downloads, max_downloads, keys } = grant
  assert.deepEqual([name, status, downloads, max_downloads, keys], ['Manual.pdf', 'active', 0, 5, []])
  assert.equal(Date.parse(grant.expires_at) - Date.parse(grant.created_at), 30 * day * 1000)

  const link = linkOf(shop, grant.id)
  assert.match((await visit(shop, `/downloads/${link}`)).text, /5 downloads left/)
  const sent = await download(shop, link)
  assert.deepEqual([sent.status, sent.text], [200, manual.toString()])
  assert.equal(
    sent.headers.get('content-disposition'),
    `attachment; filename="Manual.pdf"; filename*=UTF-8''Manual.pdf`,
  )
  assert.equal(sent.headers.get('content-type'), 'application/pdf')
  assert.equal(sent.headers.get('cache-control'), 'no-store')
  assert.equal((await grantsOf(shop, unpaid))[0].downloads, 1)
})

test('of 20 downloads at once, as many come as there are', async () => {
  const shop = await newShop(world)
  const product = await shop.product()
  await upload(shop, product)
  const order = await pay(shop, product)
  const [grant] = await grantsOf(shop, order)
  const answers = await Promise.all(Array.from({ length: 20 }, () => download(shop, linkOf(shop, grant.id))))
  assert.equal(answers.filter(({ status }) => status === 200).length, 5)
  assert.equal(answers.filter(({ status }) => status === 410).length, 15)
  const { text } = await download(shop, linkOf(shop, grant.id))
  assert.match(text, /was downloaded 5 times, as often as it could be/)
  const page = await visit(shop, `/downloads/${linkOf(shop, grant.id)}`)
  assert.equal(page.status, 410)
  assert.match(page.text, /Manual\.pdf · This file was downloaded 5 times/)
  const [after] = await grantsOf(shop, order)
  assert.deepEqual([after.status, after.downloads], ['used_up', 5])
})

test('a guessed link, one of another store and one of keys open nothing', async () => {
  const shop = await newShop(world)
  const product = await shop.product()
  await upload(shop, product)
  const [grant] = await grantsOf(shop, await pay(shop, product))
  const uuid = toUuid('dlg', grant.id)!
  const other = await newShop(world)
  const links = [uuid, `${uuid}.`, `${uuid}.guessed`, 'x', linkOf(other, grant.id)]
  for (const link of links) {
    assert.equal((await download(shop, link)).status, 404, link)
    assert.equal((await visit(shop, `/downloads/${link}`)).status, 404, link)
  }
  assert.equal((await download(other, linkOf(other, grant.id))).status, 404)
  assert.equal((await visit(shop, `/downloads/order/${linkOf(shop, grant.id)}`)).status, 404)
})

test('a download ends with a refund of its item or the cancellation', async () => {
  const shop = await newShop(world)
  const [product, mug] = [await shop.product(), await shop.product({ name: 'Cup' })]
  await upload(shop, product)
  await upload(shop, mug, { name: 'Größe & «Maß».txt' })
  const order = await pay(shop, [sold(product, 2), sold(mug)])
  const grants = await grantsOf(shop, order)
  const own = grants.find(({ product_id }: any) => product_id === product.id)
  const other = grants.find(({ product_id }: any) => product_id === mug.id)
  assert.equal(own.max_downloads, 10)
  const refund = (quantity: number) =>
    shop.api.post(`/v1/orders/${order.id}/refunds`, { items: [{ item_id: own.item_id, quantity }] })
  dataOf(await refund(1), 201)
  assert.equal((await download(shop, linkOf(shop, own.id))).status, 200)
  dataOf(await refund(1), 201)
  const ended = await download(shop, linkOf(shop, own.id))
  assert.deepEqual([ended.status, /refunded, canceled or ended/.test(ended.text)], [410, true])
  assert.equal((await visit(shop, `/downloads/${linkOf(shop, own.id)}`)).status, 410)
  const renewed = await shop.api.post(`/v1/downloads/grants/${own.id}/renew`, {})
  assert.deepEqual([renewed.status, renewed.error.code], [409, 'CONFLICT'])

  const sent = await download(shop, linkOf(shop, other.id))
  assert.equal(
    sent.headers.get('content-disposition'),
    `attachment; filename="Gr__e _ _Ma__.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%26%20%C2%ABMa%C3%9F%C2%BB.txt`,
  )
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.equal(
    (await grantsOf(shop, order)).every(({ status }: any) => status === 'revoked'),
    true,
  )
  assert.equal((await download(shop, linkOf(shop, other.id))).status, 410)
})

test('a variant has its own files, and a bundle those of its parts', async () => {
  const shop = await newShop(world)
  const shirt = await shop.variants()
  const [first, second] = shirt.variants
  await upload(shop, shirt, { name: 'all.pdf' })
  await upload(shop, shirt, { name: 'first.pdf', variant_id: first.id })
  const names = async (order: any) => (await grantsOf(shop, order)).map(({ name }: any) => name).sort()
  assert.deepEqual(await names(await pay(shop, [sold(shirt, 1, { variant_id: first.id })])), ['all.pdf', 'first.pdf'])
  assert.deepEqual(await names(await pay(shop, [sold(shirt, 1, { variant_id: second.id })])), ['all.pdf'])
  const bundle_items = [{ product_id: shirt.id, variant_id: first.id, quantity: 2 }]
  const untracked = { track_inventory: undefined, stock_quantity: undefined }
  const bundle = await shop.product({ name: 'Set', ...untracked, bundle_items })
  const order = await pay(shop, bundle)
  assert.deepEqual(await names(order), ['all.pdf', 'first.pdf'])
  assert.equal((await grantsOf(shop, order))[0].max_downloads, 10)
})

test('the files of a part end with the refund of all its units, and those of the other parts stay', async () => {
  const shop = await newShop(world)
  const [book, song] = [await shop.product({ name: 'Book' }), await shop.product({ name: 'Song', price: 5 })]
  await upload(shop, book, { name: 'book.pdf' })
  await upload(shop, song, { name: 'song.mp3' })
  const untracked = { track_inventory: undefined, stock_quantity: undefined }
  const bundle_items = [{ product_id: book.id }, { product_id: song.id, quantity: 2 }]
  const bundle = await shop.product({ name: 'Set', ...untracked, bundle_items })
  await upload(shop, bundle, { name: 'cover.pdf' })
  const order = await pay(shop, bundle)
  const [{ id: item_id }] = order.items
  const refund = (piece: object) =>
    shop.api.post(`/v1/orders/${order.id}/refunds`, { items: [{ item_id, quantity: 1, ...piece }] })
  const ended = async () =>
    (await grantsOf(shop, order)).flatMap(({ name, status }: any) => (status === 'revoked' ? [name] : [])).sort()
  dataOf(await refund({ part: 1 }), 201)
  assert.deepEqual(await ended(), [])
  dataOf(await refund({ part: 1 }), 201)
  assert.deepEqual(await ended(), ['song.mp3'])
  dataOf(await refund({ part: 0 }), 201)
  assert.deepEqual(await ended(), ['book.pdf', 'cover.pdf', 'song.mp3'])
})

test('staff renew and revoke, and the audit log says who', async () => {
  const shop = await newShop(world)
  const product = await shop.product()
  await upload(shop, product)
  dataOf(await shop.api.patch('/v1/downloads/settings', { max_downloads: 1, days: 1 }), 200)
  const order = await pay(shop, product)
  const [{ id }] = await grantsOf(shop, order)
  const link = linkOf(shop, id)
  assert.equal((await download(shop, link)).status, 200)
  assert.equal((await download(shop, link)).status, 410)
  const renewed = dataOf(await shop.api.post(`/v1/downloads/grants/${id}/renew`, {}), 200)
  assert.deepEqual([renewed.status, renewed.downloads, renewed.max_downloads], ['active', 1, 2])
  assert.equal((await download(shop, link)).status, 200)
  for (const body of [{ max_downloads: 0 }, { days: 0 }]) {
    assert.equal((await shop.api.post(`/v1/downloads/grants/${id}/renew`, body)).status, 422)
    assert.equal((await shop.api.patch('/v1/downloads/settings', body)).status, 422)
  }
  dataOf(await shop.api.post(`/v1/downloads/grants/${id}/renew`, { max_downloads: null, days: null }), 200)
  for (let count = 0; count < 7; count++) assert.equal((await download(shop, link)).status, 200)
  assert.equal(dataOf(await shop.api.post(`/v1/downloads/grants/${id}/revoke`, {}), 200).status, 'revoked')
  assert.equal((await download(shop, link)).status, 410)
  dataOf(await shop.api.post(`/v1/downloads/grants/${id}/renew`, { max_downloads: 3, days: 2 }), 200)
  world.clock.advance(2 * day)
  const late = await download(shop, link, 'de')
  assert.equal(late.status, 410)
  const page = await visit(shop, `/downloads/${link}`)
  assert.deepEqual([page.status, /could be downloaded until/.test(page.text)], [410, true])
  const log = dataOf(await shop.api.get(`/v1/audit?id=${id}`), 200)
  assert.ok(log.length > 5)
})

test('license keys are handed out once each, whatever happens at once', async () => {
  const shop = await newShop(world)
  const product = await shop.product({ stock_quantity: 100 })
  const keys = Array.from({ length: 10 }, (_, index) => `KEY-${index}`)
  const paste = (lines: string[], more: object = {}) =>
    shop.api.post('/v1/downloads/keys', { product_id: product.id, keys: lines.join('\r\n'), ...more })
  assert.deepEqual(dataOf(await paste(keys), 200), { added: 10, repeated: 0, handed_out: 0 })
  assert.deepEqual(dataOf(await paste([...keys, 'KEY-0']), 200), { added: 0, repeated: 11, handed_out: 0 })
  assert.deepEqual(faultsOf(await paste([' ', ''])), { keys: 'must not be blank' })

  const place = () => shop.api.post('/v1/orders', { items: [sold(product)], payment_status: 'paid' })
  const orders = (await Promise.all(Array.from({ length: 20 }, place))).map((answer) => dataOf(answer, 201))
  await world.app.jobs.run('downloads: email')
  const granted = (await Promise.all(orders.map((order) => grantsOf(shop, order)))).flat()
  assert.equal(granted.length, 20)
  assert.deepEqual(granted.flatMap((one: any) => one.keys).sort(), keys)
  assert.equal(
    granted.reduce((sum: number, one: any) => sum + one.missing_keys, 0),
    10,
  )

  const more = Array.from({ length: 12 }, (_, index) => `MORE-${index}`)
  assert.deepEqual(dataOf(await paste(more), 200), { added: 12, repeated: 0, handed_out: 10 })
  const after = (await Promise.all(orders.map((order) => grantsOf(shop, order)))).flat()
  assert.equal(new Set(after.flatMap((one: any) => one.keys)).size, 20)
  assert.ok(after.every((one: any) => one.keys.length === 1 && one.missing_keys === 0))
  const left = dataOf(await shop.api.get(`/v1/downloads/keys?product_id=${product.id}&is_handed_out=false`), 200)
  assert.equal(left.length, 2)
  assert.equal((await shop.api.delete(`/v1/downloads/keys/${left[0].id}`)).status, 200)
  const [out] = dataOf(await shop.api.get(`/v1/downloads/keys?product_id=${product.id}&is_handed_out=true`), 200)
  assert.equal((await shop.api.delete(`/v1/downloads/keys/${out.id}`)).status, 409)
})

test('keys of a variant come before those of the product, one for each unit', async () => {
  const shop = await newShop(world)
  const shirt = await shop.variants()
  const [first] = shirt.variants
  const paste = (keys: string, more: object = {}) =>
    shop.api.post('/v1/downloads/keys', { product_id: shirt.id, keys, ...more })
  dataOf(await paste('any-1\nany-2'), 200)
  dataOf(await paste('own-1', { variant_id: first.id }), 200)
  const [grant] = await grantsOf(shop, await pay(shop, [sold(shirt, 2, { variant_id: first.id })]))
  assert.deepEqual(grant.keys.sort(), ['any-1', 'own-1'])
  const mug = await shop.product()
  const body = { product_id: mug.id, variant_id: first.id, keys: 'x' }
  assert.deepEqual(faultsOf(await shop.api.post('/v1/downloads/keys', body)), { variant_id: 'does not exist' })
})

test('an app hears which keys an order misses, adds them, and the merchant is not asked', async () => {
  const shop = await newShop(world)
  const merchant = `${newUuid()}@merchant.example`
  dataOf(await shop.api.patch('/v1/store', { notification_email: merchant }), 200)
  const [product, other] = [await shop.product(), await shop.product({ name: 'Cup' })]
  const set = (key_product_ids: string[]) => shop.api.patch('/v1/downloads/settings', { key_product_ids })
  assert.deepEqual(dataOf(await set([product.id]), 200), { max_downloads: 5, days: 30, key_product_ids: [product.id] })
  const order = await pay(shop, [sold(product, 2), sold(other)])
  const [grant, ...none] = await grantsOf(shop, order)
  assert.deepEqual([none, grant.file_id, grant.keys], [[], null, []])
  const heard = async () => {
    await world.app.jobs.run('downloads: email')
    const { data } = await shop.api.get('/v1/events?types=downloads.keys_missing')
    return data.map(({ body }: any) => [body.order.id, body.grant.id, body.grant.missing_keys])
  }
  assert.deepEqual(await heard(), [[order.id, grant.id, 2]])
  const keys = 'APP-1\nAPP-2'
  const added = await shop.api.post('/v1/downloads/keys', { product_id: product.id, keys })
  assert.deepEqual(dataOf(added, 200), { added: 2, repeated: 0, handed_out: 2 })
  const [after] = await grantsOf(shop, order)
  assert.deepEqual([after.keys, after.missing_keys], [['APP-1', 'APP-2'], 0])
  assert.equal((await heard()).length, 1)
  await world.app.sender.sendDue()
  assert.ok(server.received.every(({ to, raw }) => to !== merchant || !/license keys/i.test(raw)))

  const foreign = await (await newShop(world)).product()
  assert.deepEqual(faultsOf(await set([product.id, foreign.id])), { 'key_product_ids.1': 'does not exist' })
  dataOf(await set([]), 200)
  await pay(shop, [sold(product, 1)])
  assert.equal((await heard()).length, 1)
})

async function letters(email: string, subject: RegExp) {
  await world.app.jobs.run('downloads: email')
  await world.app.sender.sendDue()
  return server.received.filter((one) => one.to === email && subject.test(one.header('Subject')!))
}

/** The texts of a buyer's emails about downloads, which are quoted-printable. */
async function readLetters(email: string): Promise<string[]> {
  const decode = (bytes: string) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString()
  return (await letters(email, /./))
    .map(({ raw }) => raw.replaceAll(/=\r\n/g, '').replaceAll(/(?:=[\dA-F]{2})+/g, decode))
    .filter((text) => text.includes('/downloads/order/'))
}

test('an email with license keys alone does not offer a download, in any language', async () => {
  const shop = await newShop(world)
  const stock_quantity = languages.length
  const [font, book] = [await shop.product({ stock_quantity }), await shop.product({ name: 'Book', stock_quantity })]
  dataOf(await shop.api.patch('/v1/downloads/settings', { key_product_ids: [font.id] }), 200)
  await upload(shop, book)
  for (const locale of languages) {
    const t = dashboardTranslator(locale)
    const offer = t('downloads_mail_text', { store: shop.store.name })
    const buy = (product: any, customer_email: string) =>
      pay(shop, [sold(product)], { customer_email, notify_customer: true, locale })
    const [reader, waiting] = [`${newUuid()}@example.com`, `${newUuid()}@example.com`]
    await buy(book, reader)
    assert.ok((await readLetters(reader))[0]!.includes(offer), locale)

    await buy(font, waiting)
    const [first] = await readLetters(waiting)
    assert.ok(first!.includes(t('downloads_mail_thanks', { store: shop.store.name })), locale)
    assert.ok(first!.includes(t('downloads_keys_follow')), locale)
    assert.ok(!first!.includes(offer), locale)
    const key = `KEY-${locale}`
    dataOf(await shop.api.post('/v1/downloads/keys', { product_id: font.id, keys: key }), 200)
    const [, second] = await readLetters(waiting)
    assert.ok(second!.includes(key), locale)
    assert.ok(!second!.includes(offer), locale)
    assert.ok(!second!.includes(t('downloads_keys_follow')), locale)
  }
})

test('buyers get one email with links and keys, and the merchant one when keys are missing', async () => {
  const shop = await newShop(world)
  dataOf(await shop.api.patch('/v1/store', { notification_email: `${newUuid()}@merchant.example` }), 200)
  const product = await shop.product({ name: 'Font' })
  await upload(shop, product)
  dataOf(await shop.api.post('/v1/downloads/keys', { product_id: product.id, keys: 'AAAA-1111' }), 200)
  const customer_email = `${newUuid()}@example.com`
  const more = { customer_email, notify_customer: true, locale: 'de' }
  await pay(shop, [sold(product, 2)], more)
  const [letter, ...others] = await letters(customer_email, /Downloads/)

  assert.deepEqual(others, [])
  const body = letter!.raw.replaceAll(/=\r\n/g, '')
  assert.match(body, /AAAA-1111/)
  const url = /http:\S+\/downloads\/[0-9a-f-]{36}\.[\w-]+/.exec(body.replaceAll('=3D', '='))![0]
  const link = new URL(url).pathname.split('/').at(-1)!
  assert.equal((await download(shop, link)).status, 200)
  const { notification_email } = dataOf(await shop.api.get('/v1/store'), 200)
  assert.equal((await letters(notification_email, /Font/)).length, 1)
  dataOf(await shop.api.post('/v1/downloads/keys', { product_id: product.id, keys: 'BBBB-2222' }), 200)
  assert.equal((await letters(customer_email, /Downloads/)).length, 2)
  assert.equal((await letters(customer_email, /Downloads/)).length, 2)
})

test('what is not shipped is fulfilled once it is handed out, without the email of a shipment', async () => {
  const shop = await newShop(world)
  dataOf(await shop.api.patch('/v1/store', { auto_complete_orders: true }), 200)
  const [guide, mug] = [await shop.product({ name: 'Guide', requires_shipping: false }), await shop.product()]
  const visit = await shop.product({ name: 'Visit', requires_shipping: false })
  dataOf(await upload(shop, guide), 201)
  dataOf(await shop.api.post('/v1/downloads/keys', { product_id: guide.id, keys: 'A' }), 200)
  const line = ({ id }: any) => ({ product_id: id, quantity: 1 })
  const buyer = { customer_email: 'ana@example.com', customer_name: 'Ana', notify_customer: true }
  const alone = await pay(shop, [line(guide)], buyer)
  await world.app.jobs.run('downloads: email')
  const read = async ({ id }: any) => dataOf(await shop.api.get(`/v1/orders/${id}`), 200)
  const { status, fulfillment_status } = await read(alone)
  assert.deepEqual([status, fulfillment_status], ['completed', 'fulfilled'])
  const [parcel] = dataOf(await shop.api.get(`/v1/orders/${alone.id}/fulfillments`), 200)
  assert.equal(parcel.status, 'delivered')

  // No key is left: the guide waits, and so do the mug and the visit.
  const mixed = await pay(shop, [line(guide), line(mug), line(visit)], buyer)
  await world.app.jobs.run('downloads: email')
  assert.equal((await read(mixed)).fulfillment_status, 'unfulfilled')
  dataOf(await shop.api.post('/v1/downloads/keys', { product_id: guide.id, keys: 'B' }), 200)
  await world.app.jobs.run('downloads: email')
  const { fulfillment_status: partly, items } = await read(mixed)
  assert.deepEqual([partly, items.map((one: any) => one.fulfillable_quantity)], ['partial', [0, 1, 1]])

  const kinds = async (order: any) =>
    dataOf(await shop.api.get(`/v1/mails?order_id=${order.id}&per_page=100`), 200).map(({ kind }: any) => kind)
  const ship = (at: number) =>
    shop.api.post(`/v1/orders/${mixed.id}/fulfillments`, { items: [{ item_id: items[at].id, quantity: 1 }] })
  dataOf(await ship(2), 201)
  for (const order of [alone, mixed]) assert.ok(!(await kinds(order)).includes('order_shipped'))
  dataOf(await ship(1), 201)
  assert.ok((await kinds(mixed)).includes('order_shipped'))
  const returnable = dataOf(await shop.api.get(`/v1/orders/${mixed.id}/returnable`), 200).items
  assert.deepEqual(
    returnable.map(({ item_id }: any) => item_id),
    [items[1].id],
  )
})

test('the page of the order has the downloads and keys', async () => {
  const shop = await newShop(world)
  const product = await shop.product({ name: 'Font' })
  await upload(shop, product, { name: 'Font <b>.zip' })
  dataOf(await shop.api.post('/v1/downloads/keys', { product_id: product.id, keys: 'AAAA-1111' }), 200)
  const order = await pay(shop, product)
  const signed = openShopLinks(world.app.vault, shop.store.id, 'downloads').sign(toUuid('ord', order.id)!)
  const page = await visit(shop, `/downloads/order/${signed}`)
  assert.equal(page.status, 200)
  assert.match(page.text, /Font &lt;b&gt;\.zip/)
  assert.match(page.text, /<code>AAAA-1111<\/code>/)
  const thanks = await visit(shop, orderPath(world.app.vault, shop.store.id, order.id))
  assert.match(thanks.text, /<h2>Your downloads<\/h2>/)
})
