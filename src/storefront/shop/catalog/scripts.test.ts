// A table of scripts: what shoppers and merchants type, and the names that it finds or does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopperOf } from '../../../../test/checkouts.ts'
import { newShop } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()

/** Name of a product → what finds it, and what does not. */
// prettier-ignore
const names: Record<string, { finds: string[]; not: string[] }> = {
  '青森りんごジュース':    { finds: ['りんご', '青森', 'ジュース', '青森りんご', 'りんご 青森', 'ｼﾞｭｰｽ', '森', 'ス'], not: ['みかん', 'んり'] },
  '山田 太郎の茶碗':      { finds: ['山田太郎', '山田 太郎', '山田　太郎', '太郎', '茶碗'], not: ['山本'] },
  'iPhone用ケース黒':     { finds: ['iphone', 'ケース', 'iPhone ケース', '黒'], not: ['白'] },
  '冬季羊毛围巾':         { finds: ['围巾', '羊毛', '羊毛围巾', '围巾 冬季'], not: ['帽子'] },
  '𠮷野家の丼':           { finds: ['𠮷野', '野家'], not: ['吉田'] },
  'รองเท้าผ้าใบสีขาว':      { finds: ['ผ้าใบ', 'รองเท้า', 'สีขาว'], not: ['กระเป๋า'] },
  '여성가죽지갑':         { finds: ['지갑', '가죽', '여성', '가죽지갑', '여성 지갑'], not: ['시계'] },
  'Women’s Jacket':      { finds: ["women's", 'women’s', 'womens', 'women', 'jacket womens'], not: ['mens'] },
  "Confiture d'orange":  { finds: ['orange', "d'orange", 'd’orange', 'confiture'], not: ['dorange2'] },
  'Straße Poster':       { finds: ['strasse', 'straße', 'STRASSE', 'STRAẞE'], not: ['strase'] },
  'Żółty kubek':         { finds: ['zolty', 'żółty', 'ŻÓŁTY'], not: ['zloty'] },
  'Điện thoại':          { finds: ['dien thoai', 'điện', 'ĐIỆN'], not: ['bien'] },
  'Smørbrød bræt':       { finds: ['smorbrod', 'smørbrød', 'braet'], not: ['smerbred'] },
  'Işık lambası':        { finds: ['ışık', 'isik', 'IŞIK', 'lambasi'], not: ['asik'] },
  'İnci küpe':           { finds: ['inci', 'İNCİ', 'kupe'], not: ['onci'] },
  'Σκύλος':              { finds: ['σκυλος', 'ΣΚΥΛΟΣ', 'σκύλοσ'], not: ['γατα'] },
  'Красный шар':         { finds: ['красный', 'КРАСНЫЙ', 'шар'], not: ['синий'] },
  'كِتَاب عربي':            { finds: ['كتاب', 'عربي'], not: ['قلم'] },
  'कुर्ता लाल':             { finds: ['कुर्ता', 'लाल'], not: ['नीला'] },
  'ＡＢＣ１２３ Full':      { finds: ['abc123', 'ABC'], not: ['xyz'] },
}

for (const [name, { finds, not }] of Object.entries(names)) {
  test(`${name} is found by ${finds.join(', ')}`, async () => {
    const shop = await newShop(world)
    await shop.product({ name })
    await shop.product({ name: 'Other thing' })
    const shopper = shopperOf(world, shop)
    const found = async (typed: string) => {
      const { data } = await shopper.get(`/products?words=${encodeURIComponent(typed)}`)
      return data.map((one: { name: string }) => one.name)
    }
    for (const typed of finds) assert.deepEqual(await found(typed), [name], typed)
    for (const typed of not) assert.deepEqual(await found(typed), [], typed)
  })
}

/** Name of a customer → what a merchant types to find them, anywhere in a list. */
// prettier-ignore
const people: Record<string, string[]> = {
  'Seán O’Brien':   ["o'brien", 'O’Brien', 'sean'],
  "Lucy D'Angelo":  ['d’angelo', "D'Angelo"],
  '山田太郎':        ['山田 太郎', '山田太郎', '太郎'],
  '山田 花子':       ['山田花子', '山田　花子', '花子'],
  'Łukasz Großmann': ['lukasz', 'grossmann', 'Großmann'],
  'Đặng Văn Lâm':   ['dang van lam', 'Đặng'],
  'Søren Ærø':      ['soren', 'aero', 'SØREN'],
  'Işıl Çelik':     ['isil', 'Işıl', 'celik'],
  '이지갑순':        ['지갑', '이지'],
}

test('a merchant finds customers, orders and products by a name as anyone may write it', async () => {
  const { api, product, order } = await newShop(world)
  const mug = await product({ stock_quantity: 99 })
  for (const [name, ways] of Object.entries(people)) {
    await product({ name })
    await order(mug, { customer_name: name, customer_email: 'a@example.com' })
    await api.post('/v1/customers', { name })
    for (const typed of ways)
      for (const [path, field] of [
        ['customers', 'name'],
        ['orders', 'customer_name'],
        ['products', 'name'],
      ] as const) {
        const { data } = await api.get(`/v1/${path}?search=${encodeURIComponent(typed)}`)
        const found = data.map((one: any) => one[field])
        assert.ok(found.includes(name), `${path} ${typed}: ${found}`)
      }
  }
})
