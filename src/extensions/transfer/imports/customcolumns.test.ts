// Columns that are custom fields of the store: known by key, by label, by the metafields of Shopify, or as mapped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccounted, imported, previewed, remarksOf, settled, upload } from '../../../../test/imports.ts'
import { dataOf, faultsOf, type Shop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

const define = async ({ api }: Pick<Shop, 'api'>, ...fields: object[]) => {
  for (const field of fields) dataOf(await api.post('/v1/store/custom-fields', field), 201)
}
const material = {
  applies_to: 'product',
  key: 'material',
  label: 'Material',
  type: 'choice',
  choices: ['Linen', 'Wool'],
}
const washable = { applies_to: 'product', key: 'washable', label: 'Machine washable', type: 'boolean' }
const sewn = { applies_to: 'product', key: 'sewn_on', label: 'Sewn on', type: 'date' }
const grams = { applies_to: 'product', key: 'fabric', label: 'Fabric weight', type: 'number' }
const shade = { applies_to: 'variant', key: 'shade', label: 'Shade', type: 'color' }

async function newStore(...fields: object[]) {
  const shop = await world.newStore({ currency: 'USD' })
  await define(shop, ...fields)
  return shop
}

const fieldsOf = (one: any) => Object.fromEntries(one.columns.map(({ name, field }: any) => [name, field]))

test('columns named like a custom field are read as its type', async () => {
  const { api } = await newStore(material, washable, sewn, grams)
  const file =
    'name,price,material,Machine Washable,custom_fields.sewn_on,Fabric weight,Notes\n' +
    'Shirt,20,Linen,yes,2026-03-04 10:00:00,"1,250.5",none\nSocks,5,,no,,,\n'
  const done = await imported(world, api, file, { kind: 'products' })
  assert.deepEqual(fieldsOf(done), {
    name: 'name',
    price: 'price',
    material: 'custom_fields.material',
    'Machine Washable': 'custom_fields.washable',
    'custom_fields.sewn_on': 'custom_fields.sewn_on',
    'Fabric weight': 'custom_fields.fabric',
    Notes: null,
  })
  const values = (await api.get('/v1/products?sort=name&order=asc')).data.map((one: any) => one.custom_fields)
  assert.deepEqual(values, [
    { material: 'Linen', washable: true, sewn_on: '2026-03-04', fabric: 1250.5 },
    { washable: false },
  ])
  assertAccounted(done)
})

test('the preview says what is wrong with a value, at its cell, and what is required of a new record', async () => {
  const { api } = await newStore(material, { ...grams, is_required: true }, washable)
  const file =
    'name,price,Material,Fabric weight,washable\nShirt,20,Silk,heavy,perhaps\nSocks,5,Wool,,\nHat,9,Wool,80,true\n'
  const one = await previewed(world, api, file, { kind: 'products' })
  assert.deepEqual(await remarksOf(api, one.id), [
    [2, 'rejected', 'Material', 'custom_fields.material must be one of Linen, Wool'],
    [2, 'rejected', 'Fabric weight', 'custom_fields.fabric must be a number'],
    [2, 'rejected', 'washable', 'custom_fields.washable must be true or false'],
    [3, 'rejected', null, 'custom_fields.fabric is required'],
  ])
  dataOf(await api.post(`/v1/imports/${one.id}/start`, {}), 200)
  const done = await settled(world, api, one.id)
  assert.deepEqual([done.rows_created, done.rows_rejected], [1, 2])
})

test('an update merges the values, and one that changes nothing is skipped', async () => {
  const { api } = await newStore(material, grams)
  dataOf(
    await api.post('/v1/products', { name: 'Shirt', price: 20, sku: 'S', custom_fields: { material: 'Wool' } }),
    201,
  )
  const file = 'sku,Fabric weight\nS,90\n'
  const first = await imported(world, api, file, { kind: 'products', on_duplicate: 'update' })
  assert.equal(first.rows_updated, 1)
  assert.deepEqual((await api.get('/v1/products')).data[0].custom_fields, { material: 'Wool', fabric: 90 })
  const again = await imported(world, api, file, { kind: 'products', on_duplicate: 'update' })
  assert.equal(again.rows_updated, 0)
})

test('a preview counts an update by its custom fields as the import does', async () => {
  const { api } = await newStore(material, grams, shade)
  const cloth = { price: 20, custom_fields: { material: 'Wool' } }
  dataOf(await api.post('/v1/products', { ...cloth, name: 'Shirt', slug: 'shirt' }), 201)
  dataOf(await api.post('/v1/products', { ...cloth, name: 'Scarf', slug: 'scarf' }), 201)
  const variants = ['Red', 'Blue'].map((value) => ({
    option_values: [{ option_title: 'Color', value }],
    sku: value,
    custom_fields: { shade: '#ff0000' },
  }))
  dataOf(await api.post('/v1/products', { name: 'Cap', slug: 'cap', price: 9, variants }), 201)
  const file =
    'row_type,slug,sku,custom_fields.material,custom_fields.fabric,variant_custom_fields.shade\n' +
    'product,shirt,,Linen,,\nproduct,scarf,,Wool,,\nvariation,cap,Red,,,#FF0000\nvariation,cap,Blue,,,#00FF00\n'
  const counts = []
  for (let at = 0; at < 2; at++) {
    const preview = await previewed(world, api, file, { kind: 'products', on_duplicate: 'update' })
    const done = await imported(world, api, file, { kind: 'products', on_duplicate: 'update' })
    assert.deepEqual([done.rows_updated, done.rows_skipped], [preview.rows_to_update, preview.rows_skipped])
    counts.push(done.rows_updated)
  }
  assert.deepEqual(counts, [3, 0])
})

test('variants have those of their rows', async () => {
  const { api } = await newStore(material, shade)
  const file =
    'row_type,slug,name,price,option1_name,option1_value,custom_fields.material,variant_custom_fields.shade\n' +
    'product,shirt,Shirt,20,Color,,Wool,\nvariation,shirt,,,Color,Red,,#ff0000\nvariation,shirt,,,Color,Blue,,#0000FF\n'
  const done = await imported(world, api, file, { kind: 'products' })
  assert.deepEqual(await remarksOf(api, done.id), [])
  const [shirt] = (await api.get('/v1/products')).data
  assert.deepEqual(
    [shirt.custom_fields, shirt.variants.map((one: any) => one.custom_fields)],
    [{ material: 'Wool' }, [{ shade: '#ff0000' }, { shade: '#0000ff' }]],
  )
})

test("Shopify's metafields are custom fields of their key or name, and others are left out", async () => {
  const { api } = await newStore(material, washable)
  const header = [
    'Handle,Title,Vendor,Variant SKU,Variant Price,Status',
    'Fabric (product.metafields.custom.material)',
    'Machine washable (product.metafields.facts.wash)',
    'Google: Custom Product (product.metafields.google.custom)',
  ].join(',')
  const done = await imported(world, api, `${header}\nshirt,Shirt,Acme,S-1,20,active,Linen,TRUE,x\n`, {
    kind: 'products',
  })
  assert.equal(done.source, 'shopify')
  assert.deepEqual((await api.get('/v1/products')).data[0].custom_fields, { material: 'Linen', washable: true })
})

test('a column is mapped to a custom field or left out, and one that the source knows keeps its meaning', async () => {
  const { api } = await newStore(material, { applies_to: 'product', key: 'brand', label: 'Price' })
  const file = 'name,price,Stoff,Material\nShirt,20,Linen,Wool\n'
  const mapping = JSON.stringify({ Stoff: 'custom_fields.material', Material: null })
  const done = await imported(world, api, file, { kind: 'products', mapping })
  const [shirt] = (await api.get('/v1/products')).data
  assert.deepEqual([done.rows_created, shirt.price, shirt.custom_fields], [1, 20, { material: 'Linen' }])
  const unknown = await upload(api, file, { kind: 'products', mapping: '{"Stoff":"custom_fields.none"}' })
  assert.deepEqual(Object.keys(faultsOf(unknown)), ['mapping.Stoff'])
  const twice = await upload((await newStore(material)).api, file, {
    kind: 'products',
    mapping: '{"Stoff":"custom_fields.material"}',
  })
  assert.deepEqual(Object.keys(faultsOf(twice)), ['mapping'])
  const elsewhere = await newStore()
  const other = await upload(elsewhere.api, file, { kind: 'products', mapping })
  assert.deepEqual(Object.keys(faultsOf(other)), ['mapping.Stoff'])
})

test('customers have their own', async () => {
  const { api } = await newStore({ applies_to: 'customer', key: 'size', label: 'Shoe size', type: 'number' }, material)
  const done = await imported(world, api, 'name,email,Shoe size,Material\nAna,ana@example.com,38.5,Wool\n', {
    kind: 'customers',
  })
  assert.deepEqual([done.rows_created, (await api.get('/v1/customers')).data[0].custom_fields], [1, { size: 38.5 }])
})
