import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf, staffOf, type Shown } from '../../../../../test/staff.ts'
import { dataOf } from '../../../../../test/shop.ts'
import { openWorld } from '../../../../../test/world.ts'
import { newUuid } from '../../../../kit/values/ids.ts'

const world = await openWorld()

async function open(count = 3) {
  const shop = await world.newStore()
  const ana = await staffOf(world, [shop], 'staff')
  const make = async (body: object) => dataOf(await shop.api.post('/v1/products', { price: 20, ...body }), 201)
  const mugs: any[] = []
  for (let at = 0; at < count; at++) mugs.push(await make({ name: `Mug ${at}`, price: 10 + at, sku: `M-${at}` }))
  const base = `/${shop.store.id}/products/bulk`
  const read = async ({ id }: { id: string }) => (await shop.api.get(`/v1/products/${id}`)).data
  const send = (form: Record<string, string>, query = '') =>
    ana.post(base + query, { act: 'change', once: newUuid(), ...form })
  const formula = (form: Record<string, string>, query = '') =>
    send({ source: 'formula', rehearse: '1', column: 'price', way: 'percent', value: '', ending: '', ...form }, query)
  const paste = (pasted: string) => send({ source: 'paste', rehearse: '1', pasted })
  const apply = (shown: Shown, query = '') => send({ source: 'changes', changes: changesIn(shown) }, query)
  return { shop, ana, make, mugs, base, read, send, formula, paste, apply }
}

/** What the preview carries. */
const changesIn = (shown: Shown) => hiddenOf(shown, 'changes')

test('a price rise of 10 % over a filter is shown first, then made in one call and undone as one', async () => {
  const { shop, make, mugs, read, formula, apply } = await open()
  const shirt = await make({
    name: 'Shirt',
    variants: ['Red', 'Blue'].map((value, at) => ({
      option_values: [{ option_title: 'Color', value }],
      ...(at === 0 ? { price: 30 } : {}),
    })),
  })
  const draft = await make({ name: 'Draft', product_status: 'draft' })
  const shown = await formula({ value: '10' })
  assert.equal(shown.status, 200)
  for (const said of ['5 changes to review', 'Mug 1', '$11.00', '$12.10', 'Shirt · Red', '$33.00']) {
    assert.ok(shown.text.includes(said), said)
  }
  assert.equal((await read(mugs[1])).price, 11, 'only shown')
  await shop.events()
  const made = await apply(shown)
  assert.match(made.notice, /^saved/)
  assert.equal((await shop.events()).length, 4)
  assert.deepEqual(await Promise.all(mugs.map(async (mug) => (await read(mug)).price)), [11, 12.1, 13.2])
  assert.deepEqual(
    (await read(shirt)).variants.map(({ price }: any) => price),
    [33, null],
  )
  assert.equal((await read(draft)).price, 20)
  const [entry] = (await shop.api.get('/v1/audit')).data
  assert.equal(entry.changes.length, 5)
  await shop.api.post(`/v1/changes/${entry.request_id}/revert`, {})
  assert.deepEqual(await Promise.all([...mugs, shirt].map(async (one) => (await read(one)).price)), [10, 11, 12, 20])
})

test('the ticked products of the list are edited alone', async () => {
  const { ana, base, mugs, read, formula, apply } = await open()
  const list = await ana.get(base.replace('/bulk', ''))
  assert.match(list.text, /formaction="[^"]*\/products\/bulk" name="what" value="ticked"/)
  const ticked = `?what=ticked&ticked=${mugs[0].id}&ticked=${mugs[2].id}`
  const { text } = await ana.get(base + ticked)
  assert.ok(text.includes('2 selected') && text.includes('Mug 2') && !text.includes('Mug 1'))
  assert.match(text, /Change a column of 2 products/)
  await apply(await formula({ value: '10' }, ticked), ticked)
  assert.deepEqual(await Promise.all(mugs.map(async (mug) => (await read(mug)).price)), [11, 11, 13.2])
  assert.ok(!(await ana.get(`${base}?ticked=nothing`)).text.includes('Mug 1'))
})

test('amounts are rounded to an ending, texts are set, and a filter narrows', async () => {
  const { shop, mugs, read, formula, apply } = await open()
  await apply(await formula({ value: '10', ending: '.99' }, '?search=Mug+0'), '?search=Mug+0')
  assert.deepEqual(await Promise.all(mugs.map(async (mug) => (await read(mug)).price)), [10.99, 11, 12])
  const category = dataOf(await shop.api.post('/v1/categories', { name: 'Kitchen' }), 201)
  await apply(await formula({ column: 'category_id', way: 'set', value: 'kitchen' }))
  await apply(await formula({ column: 'product_status', way: 'set', value: 'Draft' }))
  await apply(
    await formula({ column: 'tags', way: 'set', value: 'sale, summer,sale' }, '?status=draft'),
    '?status=draft',
  )
  const wrong = await formula({ column: 'tags', way: 'set', value: 'x'.repeat(300) }, '?status=draft')
  assert.equal(wrong.text.match(/class="fault"/g)!.length, 3)
  const { category_id, product_status, tags } = await read(mugs[2])
  assert.deepEqual(tags, ['sale', 'summer'])
  assert.deepEqual([category_id, product_status], [category.id, 'draft'])
})

test('a formula that goes below zero is told beside its cells, and the others can be applied', async () => {
  const { mugs, read, formula, apply } = await open()
  const shown = await formula({ way: 'add', value: '-11' })
  assert.equal(shown.status, 422)
  assert.equal(shown.text.match(/class="fault"/g)!.length, 2)
  assert.ok(shown.text.includes('Apply the rows without errors'))
  assert.match((await apply(shown)).notice, /^saved/)
  assert.deepEqual(await Promise.all(mugs.map(async (mug) => (await read(mug)).price)), [10, 11, 1])
  for (const [wrong, said] of [
    [{ value: 'ten' }, 'number'],
    [{ value: '' }, 'required'],
    [{ value: '5', ending: 'x' }, 'ending'],
    [{ column: 'sku', value: '5' }, 'way'],
  ] as const) {
    assert.equal((await formula(wrong)).status, 422, said)
  }
})

test('a row that someone else has changed meanwhile is told, and nothing is changed', async () => {
  const { shop, mugs, read, formula, apply } = await open()
  const shown = await formula({ value: '10' })
  await shop.api.patch(`/v1/products/${mugs[1].id}`, { price: 50 })
  const refused = await apply(shown)
  assert.equal(refused.status, 422)
  assert.ok(refused.text.includes('Someone else has changed this since. It’s now 50.'))
  assert.deepEqual(await Promise.all(mugs.map(async (mug) => (await read(mug)).price)), [10, 50, 12])
  assert.match((await apply(refused)).notice, /^saved/)
  assert.deepEqual(await Promise.all(mugs.map(async (mug) => (await read(mug)).price)), [11, 50, 13.2])
})

test('cells of a spreadsheet find their rows by SKU, and what is unknown is named', async () => {
  const { mugs, read, paste, apply } = await open()
  const lines = [
    'SKU\tPrice\tCompare-at price\tCategory',
    'm-0\t$1,234.50\t1.300,00\t',
    'M-2\t7,5\t\tNowhere',
    'X-1\t3\t\t',
  ]
  const shown = await paste(lines.join('\r\n'))
  assert.equal(shown.status, 422)
  assert.ok(shown.text.includes('Line 4: no product or variant has “X-1”.'))
  assert.equal(shown.text.match(/class="fault"/g)!.length, 1, 'the category')
  assert.match((await apply(shown)).notice, /^saved/)
  const { price, compare_price } = await read(mugs[0])
  assert.deepEqual([price, compare_price, (await read(mugs[2])).price], [1234.5, 1300, 12])
  assert.ok((await paste('Price\n1')).text.includes('The first line must name the columns'))
  assert.ok((await paste(`ID\tStock\n${mugs[1].id}\t4\n${mugs[1].id}\t5`)).text.includes('stands for several rows'))
})

test('every product of a page is in the grid, with its first variants', async () => {
  const { ana, base, make } = await open(1)
  const many = Array.from({ length: 30 }, (_, at) => ({ option_values: [{ option_title: 'Size', value: `${at}` }] }))
  for (let at = 0; at < 4; at++) await make({ name: `Shirt ${at}`, variants: many })
  const { text } = await ana.get(base)
  for (const name of ['Mug 0', 'Shirt 0', 'Shirt 3']) assert.ok(text.includes(`>${name}`), name)
  assert.equal(text.match(/name="variants\.[^"]+\.price"/g)!.length, 4 * 12)
  assert.equal(text.match(/and 18 more/g)!.length, 4)
})

test('cells that are typed over are sent alone, with what was seen', async () => {
  const { ana, base, mugs, read, send, apply } = await open()
  const shown = await ana.get(base)
  const cells = { source: 'cells', rehearse: '1', seen: hiddenOf(shown, 'seen') }
  const at = (mug: any, column: string) => `products.${mug.id}.${column}`
  const typed = { [at(mugs[0], 'price')]: '15', [at(mugs[0], 'sku')]: 'NEW', [at(mugs[1], 'price')]: '11' }
  const tried = await send({ ...cells, ...typed, [at(mugs[2], 'stock_quantity')]: '6' })
  assert.ok(tried.text.includes('3 changes to review'), tried.text)
  await apply(tried)
  const now = await read(mugs[0])
  assert.deepEqual([now.price, now.sku, (await read(mugs[2])).stock_quantity], [15, 'NEW', 6])
  assert.deepEqual(await read(mugs[1]), mugs[1])
  assert.ok((await send({ ...cells, [at(mugs[1], 'price')]: '11' })).text.includes('Nothing would change.'))
  assert.equal((await send({ source: 'changes', changes: 'nonsense' })).status, 422)
})

test('a country is pasted by its name or code', async () => {
  const { mugs, read, paste, apply } = await open()
  const pasted = 'sku\tcountry_of_origin\ths_code\nM-0\tItaly\t6912.00\nM-1\tpt\t'
  assert.match((await apply(await paste(pasted))).notice, /^saved/)
  const [first, second] = await Promise.all(mugs.map(read))
  assert.deepEqual([first.country_of_origin, first.hs_code, second.country_of_origin], ['IT', '6912.00', 'PT'])
})

test('a category is shown with its path, and found by that or by its name alone', async () => {
  const { shop, ana, base, mugs, read, paste, apply } = await open()
  const add = async (body: object) => dataOf(await shop.api.post('/v1/categories', body), 201)
  const kitchen = await add({ name: 'Kitchen' })
  const cups = await add({ name: 'Cups', parent_id: kitchen.id })
  await apply(await paste('sku\tcategory_id\nM-0\tcups\nM-1\tKitchen › Cups\nM-2\tKitchen'))
  const ids = (await Promise.all(mugs.map(read))).map(({ category_id }) => category_id)
  assert.deepEqual(ids, [cups.id, cups.id, kitchen.id])
  const { text } = await ana.get(`${base}?column=category_id`)
  assert.match(text, /<option value="Kitchen › Cups"><\/option>/)
})

test('columns are chosen by address, variants stand below their product, and show its price', async () => {
  const { ana, base, make } = await open(1)
  const { variants } = await make({
    name: 'Shirt',
    variants: [{ option_values: [{ option_title: 'Size', value: 'M' }] }],
  })
  const usual = (await ana.get(base)).text
  assert.match(usual, /<th scope="row" class="part" title="M">M<\/th>/)
  const cell = usual.split('<td').find((part) => part.includes(`name="variants.${variants[0].id}.price"`))
  assert.match(cell!, /placeholder="20.00"/)
  assert.ok(!usual.includes('.barcode"'))
  const { text } = await ana.get(`${base}?columns=barcode&columns=price&columns=nothing&search=Mug`)
  const heads = [...text.matchAll(/<th scope="col"[^>]*>([^<]+)</g)].map(([, head]) => head)
  assert.deepEqual(heads, ['Product', 'Price', 'Barcode'])
})

test('custom fields are columns of the grid: typed, set for all, or pasted, and reviewed before', async () => {
  const { shop, ana, mugs, base, read, send, formula, paste, apply } = await open(2)
  const define = async (field: object) =>
    dataOf(await shop.api.post('/v1/store/custom-fields', { applies_to: 'product', ...field }), 201)
  await define({ key: 'cloth', label: 'Cloth', type: 'choice', choices: ['Wool', 'Silk'] })
  await define({ key: 'grams', label: 'Fabric weight', type: 'number' })
  await define({ key: 'lined', label: 'Lined', type: 'boolean' })
  const query = '?columns=custom_fields.cloth&columns=custom_fields.grams'
  const shown = await ana.get(base + query)
  assert.match(shown.text, /<th[^>]*>Cloth<\/th><th[^>]*>Fabric weight<\/th>/)
  assert.match(shown.text, /<datalist id="of-custom_fields.cloth"><option value="Wool">/)

  const at = (mug: any, key: string) => `products.${mug.id}.custom_fields.${key}`
  const typed = { [at(mugs[0], 'cloth')]: 'silk', [at(mugs[0], 'grams')]: '1,5', [at(mugs[1], 'grams')]: '' }
  const first = await send({ source: 'cells', rehearse: '1', seen: hiddenOf(shown, 'seen'), ...typed }, query)
  assert.match(first.text, /2 changes to review/)
  assert.match((await apply(first, query)).notice, /^saved/)
  assert.deepEqual(
    [(await read(mugs[0])).custom_fields, (await read(mugs[1])).custom_fields],
    [{ cloth: 'Silk', grams: 1.5 }, {}],
  )

  await apply(await formula({ column: 'custom_fields.lined', way: 'set', value: 'true' }))
  await apply(await paste('SKU\tCloth\nM-1\tWool'))
  assert.deepEqual((await read(mugs[1])).custom_fields, { cloth: 'Wool', lined: true })

  const wrong = await paste('SKU\tCloth\nM-1\tFelt')
  assert.match(wrong.text, /Felt<span class="fault">/)
})

test('a yes/no field is shown and typed in the language of the person, and in the words of the API', async () => {
  const { shop, ana, mugs, base, read, paste, apply } = await open(4)
  const lined = { applies_to: 'product', key: 'lined', label: 'Lined', type: 'boolean' }
  dataOf(await shop.api.post('/v1/store/custom-fields', lined), 201)
  const shown = await paste('SKU\tLined\nM-0\tYes\nM-1\tno\nM-2\ttrue\nM-3\tperhaps')
  assert.match(shown.text, /<td>–<\/td>\s*<td>Yes<\/td>/)
  assert.match(shown.text, /perhaps<span class="fault">Enter yes or no\./)
  assert.match((await apply(shown)).notice, /^saved/)
  const values = (await Promise.all(mugs.map(read))).map(({ custom_fields }) => custom_fields.lined)
  assert.deepEqual(values, [true, false, true, undefined])

  const { text } = await ana.get(`${base}?columns=custom_fields.lined`, { 'accept-language': 'de' })
  assert.match(text, /<datalist id="of-custom_fields.lined"><option value="Ja"><\/option><option value="Nein">/)
  assert.match(text, new RegExp(`name="products.${mugs[1].id}.custom_fields.lined"[^>]* value="Nein"`))
  const cells = { act: 'change', source: 'cells', rehearse: '1', seen: hiddenOf({ text } as Shown, 'seen') }
  const typed = { ...cells, once: newUuid(), [`products.${mugs[1].id}.custom_fields.lined`]: 'ja' }
  await apply(await ana.post(base, typed, { 'accept-language': 'de' }))
  assert.equal((await read(mugs[1])).custom_fields.lined, true)
})

test('whether a product is shipped is typed, pasted or set for all, and a variant may leave it open', async () => {
  const { shop, ana, base, mugs, make, read, send, paste, apply } = await open(2)
  const kind = (value: string) => ({ option_values: [{ option_title: 'Kind', value }], sku: value })
  const book = await make({ name: 'Book', variants: [kind('PAPER'), kind('PDF')] })
  const query = '?columns=requires_shipping'
  const shown = await ana.get(base + query)
  assert.match(shown.text, /<th scope="col">Requires shipping<\/th>/)
  assert.match(shown.text, /<datalist id="of-requires_shipping"><option value="Yes"><\/option><option value="No">/)
  const [paper, pdf] = book.variants.map(({ id }: any) => `variants.${id}.requires_shipping`)
  assert.match(shown.text, new RegExp(`name="${pdf}"[^>]* placeholder="Yes"[^>]* data-seen=""`))
  const answers = async () => {
    const [one, two, { requires_shipping, variants }] = await Promise.all([...mugs, book].map(read))
    return [one, two, { requires_shipping }, ...variants].map((record: any) => record.requires_shipping)
  }

  const cells = async () => ({ source: 'cells', rehearse: '1', seen: hiddenOf(await ana.get(base + query), 'seen') })
  const mug = `products.${mugs[0].id}.requires_shipping`
  const typed = await send({ ...(await cells()), [mug]: 'no', [paper]: '', [pdf]: 'No' }, query)
  assert.match(typed.text, /2 changes to review/)
  await apply(typed, query)
  assert.deepEqual(await answers(), [false, true, true, null, false])

  const [entry] = (await shop.api.get('/v1/audit')).data
  await shop.api.post(`/v1/changes/${entry.request_id}/revert`, {})
  assert.deepEqual(await answers(), [true, true, true, null, null])

  await apply(await paste('SKU\tRequires shipping\nM-1\tfalse\nPAPER\tyes'))
  assert.deepEqual(await answers(), [true, false, true, true, null])
  const refused = await send({ ...(await cells()), [mug]: '', [paper]: '', [pdf]: 'maybe' }, query)
  assert.equal(refused.text.match(/class="fault">Enter yes or no\./g)!.length, 2)
  await apply(refused, query)
  assert.deepEqual(await answers(), [true, false, true, null, null])

  await apply(await paste('SKU\tRequires shipping\nPAPER\tyes'))
  const [, ofAmounts, ofAnswers] = (await ana.get(base)).text.split('name="source"')
  const choicesOf = (form: string) => [...form.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value)
  assert.ok(!choicesOf(ofAmounts!.split('</form>')[0]!).includes('requires_shipping'))
  assert.deepEqual(choicesOf(ofAnswers!.split('</form>')[0]!), ['requires_shipping', 'true', 'false'])
  assert.doesNotMatch(ofAnswers!.split('</form>')[0]!, /percent|ending/)
  await apply(await send({ source: 'answer', rehearse: '1', way: 'set', column: 'requires_shipping', value: 'false' }))
  assert.deepEqual(await answers(), [false, false, false, false, null])
})

test('stock and prices that follow from the parts of a bundle are shown, but cannot be edited', async () => {
  const { ana, base, make, read, formula, paste, apply } = await open(0)
  const cup = await make({ name: 'Cup', price: 4, sku: 'CUP', stock_quantity: 7, track_inventory: true })
  const bundle_items = [{ product_id: cup.id, quantity: 2 }]
  const set = await make({ name: 'Set', sku: 'SET', bundle_items, bundle_discount_percentage: 25 })
  const box = await make({ name: 'Box', sku: 'BOX', price: 50, bundle_items })
  const kind = (value: string) => ({ option_values: [{ option_title: 'Kind', value }], sku: value })
  const variants = [
    { ...kind('PAIR'), bundle_items },
    { ...kind('ONE'), price: 9 },
  ]
  const mix = await make({ name: 'Mix', variants, bundle_discount_percentage: 50 })
  const [pair, one] = mix.variants
  const { text } = await ana.get(base)
  const isEdited = (key: string) =>
    ['price', 'stock_quantity'].map((column) => text.includes(`name="${key}.${column}"`))
  assert.deepEqual(isEdited(`products.${set.id}`), [false, false])
  assert.deepEqual(isEdited(`products.${box.id}`), [true, false])
  assert.deepEqual(isEdited(`products.${mix.id}`), [false, false])
  assert.deepEqual(isEdited(`variants.${pair.id}`), [false, false])
  assert.deepEqual(isEdited(`variants.${one.id}`), [true, true])
  for (const [value, label] of [
    ['6.00', 'Price of Set'],
    ['3', 'Stock of Set'],
    ['3', 'Stock of Box'],
    ['4.00', 'Price of Mix'],
    ['4.00', 'Price of Mix · PAIR'],
    ['3', 'Stock of Mix · PAIR'],
  ])
    assert.ok(text.includes(`<input value="${value}" readonly aria-label="${label}">`), label)

  const raised = await formula({ value: '100' })
  assert.match(raised.text, /3 changes to review/)
  await apply(raised)
  assert.deepEqual(
    [(await read(box)).price, (await read(set)).price, (await read(mix)).variants[1].price],
    [100, 12, 18],
  )
  const pasted = await paste('SKU\tPrice\tStock\nSET\t12\t9\nPAIR\t1\t3\nONE\t19\t2')
  assert.match(pasted.text, /2 changes to review/)
  assert.match(pasted.text, /Stock of Set: Change the stock of the products in the bundle\./)
  assert.match(pasted.text, /Price of Mix · PAIR: Calculated from the products in the bundle\./)
  assert.equal(pasted.text.match(/<li>[^<]* of (Set|Mix)/g)!.length, 2)
})
