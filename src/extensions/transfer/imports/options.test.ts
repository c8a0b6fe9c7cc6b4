// Options and images of products, in the names and the order that a file means.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, remarksOf } from '../../../../test/imports.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

async function importOne(rows: readonly string[]) {
  const { api } = await world.newStore()
  const done = await imported(world, api, rows.join('\n'), { kind: 'products' })
  const remarks = (await remarksOf(api, done.id)).map(([line, outcome, , message]) => [line, outcome, message])
  assert.equal(done.rows_rejected, 0, JSON.stringify(remarks))
  const [product] = (await api.get('/v1/products?status=all')).data
  return { product, remarks }
}

const listOptions = ({ options }: any) => options.map(({ title, values }: any) => [title, ...values])
const listTitles = ({ variants }: any) => variants.map(({ title, sku, price }: any) => [title, sku, price])

const header = 'ID,Type,SKU,Name,Regular price,Parent,Attribute 1 name,Attribute 1 value(s),Attribute 2 name'

test('a variation names its own options, not the first ones of its parent', async () => {
  const { product } = await importOne([
    `${header},Attribute 2 value(s)`,
    '1,variable,t,Tee,,,Material,Wool,Size,"S, M"',
    '2,variation,t-s,Tee - S,5,id:1,Size,S,,',
    '3,variation,t-m,Tee - M,6,id:1,Size,M,,',
  ])
  assert.deepEqual(listOptions(product), [['Size', 'S', 'M']])
  assert.deepEqual(
    listTitles(product).map(([title, sku]: string[]) => [title, sku]),
    [
      ['S', 't-s'],
      ['M', 't-m'],
    ],
  )
})

test('a variation for any value of an option keeps both options, and says so', async () => {
  const { product, remarks } = await importOne([
    `${header},Attribute 2 value(s)`,
    '1,variable,t,Tee,,,Color,"Red, Blue",Size,"S, M"',
    '2,variation,t-r,Tee - Red,5,id:1,Color,Red,Size,',
    '3,variation,t-b,Tee - Blue,6,id:1,Color,Blue,Size,S',
  ])
  assert.deepEqual(listOptions(product), [
    ['Color', 'Red', 'Blue'],
    ['Size', 'Any', 'S'],
  ])
  assert.deepEqual(remarks, [[3, 'created', 'It is for any value of an option: shoppers cannot choose it']])
})

test('a fourth attribute is one option with the third', async () => {
  const more = 'Attribute 2 value(s),Attribute 3 name,Attribute 3 value(s),Attribute 4 name,Attribute 4 value(s)'
  const own = (fit: string) => `Color,Red,Size,S,Cut,Slim,Fit,${fit}`
  const { product } = await importOne([
    `${header},${more}`,
    '1,variable,t,Tee,,,Color,Red,Size,S,Cut,Slim,Fit,"Long, Short"',
    `2,variation,t-l,Tee,5,id:1,${own('Long')}`,
    `3,variation,t-k,Tee,6,id:1,${own('Short')}`,
  ])
  assert.deepEqual(listOptions(product), [
    ['Color', 'Red'],
    ['Size', 'S'],
    ['Cut / Fit', 'Slim / Long', 'Slim / Short'],
  ])
  assert.equal(product.variants.length, 2)
})

test('images are in the order of their positions, wherever their rows are', async () => {
  const { product } = await importOne([
    'Handle,Title,Body (HTML),Vendor,Variant Price,Image Src,Image Position,Image Alt Text',
    'm,Mug,,A,5,https://c.test/3.jpg,3,Third',
    'm,,,,,https://c.test/1.jpg,1,First',
    'm,,,,,https://c.test/10.jpg,10,Last',
    'm,,,,,https://c.test/2.jpg,2,Second',
  ])
  assert.deepEqual(
    product.gallery.map(({ url, alt_text }: any) => [url, alt_text]),
    [
      ['https://c.test/1.jpg', 'First'],
      ['https://c.test/2.jpg', 'Second'],
      ['https://c.test/3.jpg', 'Third'],
      ['https://c.test/10.jpg', 'Last'],
    ],
  )
})
