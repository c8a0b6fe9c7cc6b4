// Workbooks are imported as other files are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, previewed, remarksOf, upload } from '../../../../../test/imports.ts'
import { dataOf, faultsOf } from '../../../../../test/shop.ts'
import { ods, row, xlsx } from '../../../../../test/workbooks.ts'
import { openWorld } from '../../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

test('a workbook with the columns of another shop becomes products, and says which sheet was read', async () => {
  const { api } = await world.newStore()
  const rows =
    row(1, ['Handle', 'Title', 'Vendor', 'Status', 'Variant SKU', 'Variant Barcode', 'Variant Price']) +
    row(2, [
      'mug',
      'Mug',
      'Ana',
      'active',
      '<c><v>12</v></c>',
      '<c><v>4.006381333931E+12</v></c>',
      '<c><v>19.9</v></c>',
    ])
  const file = await xlsx([
    { name: 'Products', rows },
    { name: 'Notes', rows: row(1, ['x']) },
  ])
  const done = await imported(world, api, file, { kind: 'products' })
  assert.deepEqual([done.source, done.rows_created], ['shopify', 1])
  assert.deepEqual(done.notes, ['Only the sheet Products is read, not Notes'])
  const [mug] = (await api.get('/v1/products')).data
  assert.deepEqual([mug.name, mug.sku, mug.barcode, mug.price], ['Mug', '12', '4006381333931', 19.9])
})

test('a workbook of LibreOffice is imported, and another sheet of it by its name', async () => {
  const { api } = await world.newStore()
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
  const table = (name: string, product: string) => `<table:table table:name="${name}">
<table:table-row>${cell('name')}${cell('price')}</table:table-row>
<table:table-row>${cell(product)}${cell('5')}</table:table-row></table:table>`
  const file = await ods(table('First', 'Mug') + table('Second', 'Cup'))
  await imported(world, api, file, { kind: 'products', sheet: 'Second' })
  assert.deepEqual(
    (await api.get('/v1/products')).data.map(({ name }: any) => name),
    ['Cup'],
  )
  assert.deepEqual((await previewed(world, api, file, { kind: 'products' })).notes, [
    'Only the sheet First is read, not Second',
  ])
})

test('a workbook that cannot be read is answered with a sentence, and nothing of it is kept', async () => {
  const { api } = await world.newStore()
  const whole = await xlsx([{ name: 'S', rows: row(1, ['name', 'price']) + row(2, ['Mug', '5']) }])
  const damaged = faultsOf(await upload(api, whole.subarray(0, -40), { kind: 'products' }))
  assert.match(damaged.file!, /is damaged; open it in your spreadsheet program/)
  const unknown = faultsOf(await upload(api, whole, { kind: 'products', sheet: 'T' }))
  assert.match(unknown.sheet!, /names no sheet of the workbook; it has S/)
  assert.deepEqual((await api.get('/v1/imports')).data, [])
  dataOf(await upload(api, whole, { kind: 'products' }), 201)
})

test('a formula with an error is named at its row', async () => {
  const { api } = await world.newStore()
  const rows = row(1, ['name', 'price', 'sku']) + row(2, ['Mug', '5', '<c t="e"><f>A1</f><v>#REF!</v></c>'])
  const { id } = await previewed(world, api, await xlsx([{ name: 'S', rows }]), { kind: 'products' })
  assert.deepEqual(await remarksOf(api, id), [
    [2, 'to_create', 'sku', 'A formula of the spreadsheet has an error here. Mend it, and import the file again'],
  ])
})
