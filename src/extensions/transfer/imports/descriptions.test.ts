// Descriptions in HTML are Markdown here, which loses nothing that shoppers could read or open.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported } from '../../../../test/imports.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

async function describe(text: string): Promise<string> {
  const { api } = await world.newStore()
  assert.equal((await imported(world, api, text, { kind: 'products' })).rows_created, 1)
  const [product] = (await api.get('/v1/products')).data
  return product.description
}

const describeShopify = (html: string) =>
  describe(`Handle,Title,Body (HTML),Vendor,Variant Price\ntee,Tee,"${html.replaceAll('"', '""')}",A,5\n`)
const describeWooCommerce = (html: string) =>
  describe(`ID,Type,SKU,Name,Description,Regular price\n1,simple,T,Tee,"${html}",5\n`)

test('a table of a description stays one', async () => {
  const head = '<thead><tr><th>Size</th><th>Chest</th></tr></thead>'
  const body = '<tbody><tr><td>S</td><td>90 <b>cm</b><br>or less</td></tr><tr><td></td><td>a|b</td></tr></tbody>'
  assert.equal(
    await describeShopify(`<p>Sizes</p><table>${head}${body}</table><p>Soft</p>`),
    'Sizes\n\n| Size | Chest |\n| --- | --- |\n| S | 90 **cm** or less |\n|  | a\\|b |\n\nSoft',
  )
})

test('a table that spans columns keeps them, one that arranges text is text, one in a cell is in it', async () => {
  const cells = (...texts: string[]) => `<tr>${texts.map((text) => `<td>${text}</td>`).join('')}</tr>`
  assert.equal(
    await describeShopify(`<table><tr><td colspan="2">Facts</td></tr>${cells('Material', 'Wool')}</table>`),
    '| Facts |  |\n| --- | --- |\n| Material | Wool |',
  )
  assert.equal(await describeShopify(`<table>${cells('One')}${cells('<p>Two</p>')}</table>`), 'One\n\nTwo')
  const inner = `<table>${cells('x', 'y')}</table>`
  assert.equal(await describeShopify(`<table>${cells('A', inner)}</table>`), '| A | x y |\n| --- | --- |')
})

test('a video of a description is a link to it, and what is not an address vanishes', async () => {
  const youtube = '<iframe src="https://www.youtube.com/embed/abc_DEF-1?rel=0" title="How it [is] made"></iframe>'
  const others =
    '<iframe src="//player.vimeo.com/video/42"></iframe><video><source src="https://cdn.example/a(1).mp4"></video>'
  assert.equal(
    await describeShopify(`<p>See</p>${youtube}${others}<iframe src="javascript:alert(1)"></iframe>`),
    [
      'See',
      '[How it is made](https://www.youtube.com/watch?v=abc_DEF-1)',
      '[Video](https://vimeo.com/42)',
      '[Video](https://cdn.example/a%281%29.mp4)',
    ].join('\n\n'),
  )
})

test('the lines of a description of WooCommerce stay apart, with tags and without', async () => {
  assert.equal(await describeWooCommerce(String.raw`First\nSecond\, last`), 'First\nSecond, last')
  assert.equal(
    await describeWooCommerce(
      String.raw`<b>Fine</b> mug\nfor tea\n\nIt has\n<ul>\n<li>a handle</li>\n<li>a foot</li>\n</ul>\n\nEnjoy`,
    ),
    '**Fine** mug  \nfor tea\n\nIt has\n\n-   a handle\n-   a foot\n\nEnjoy',
  )
})
