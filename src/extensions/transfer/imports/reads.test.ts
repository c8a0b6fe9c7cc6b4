// Who reads an import: whoever may read the records that its rows describe.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { previewed, upload } from '../../../../test/imports.ts'
import { staffOf } from '../../../../test/staff.ts'
import { openWorld } from '../../../../test/world.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { newRole } from '../../../../test/people.ts'
import { kinds, getImportReadScope, type ImportKind } from './sources/source.ts'

const world = await openWorld({}, { sweeps: true })

const files: Record<ImportKind, string> = {
  products: 'name,price\nSecret of products,1\n',
  customers: 'name,email\nSecret of customers,ana@example.com\n',
  orders: 'order_number,item_name,item_price,customer_name\n7,Mug,5,Secret of orders\n',
  discounts: 'code,type,value,Secret of discounts\nTEN,percentage,10,x\n',
  redirects: 'path,target\n/secret-of-redirects,/\n',
}

test('a key or a role reads the imports of the kinds that it can read, and no others', async () => {
  const shop = await world.newStore()
  const { api, store } = shop
  const ids = new Map<ImportKind, string>()
  for (const kind of kinds) ids.set(kind, (await previewed(world, api, files[kind], { kind })).id)
  for (const own of kinds) {
    const scope = getImportReadScope(own)
    const reader = await shop.withKey({ scopes: [scope] })
    const role = await newRole(world, shop, [scope])
    const person = await staffOf(world, [shop], { id: toUuid('role', role)! })
    // Every role sees the store, and with it redirects.
    const isSeen = (kind: ImportKind) => kind === own || kind === 'redirects'
    const listed = (await reader.get('/v1/imports')).data.map(({ id }: { id: string }) => id)
    assert.deepEqual(listed, [ids.get(own)])
    assert.deepEqual((await reader.get('/v1/imports?kind=customers')).data.length, own === 'customers' ? 1 : 0)
    const { text: list } = await person.get(`/${store.id}/settings/imports`)
    const { text: listFile } = await person.get(`/${store.id}/settings/imports.csv`)
    assert.equal(listFile.split('file.csv').length - 1, own === 'redirects' ? 1 : 2)
    for (const [kind, id] of ids) {
      for (const path of ['', '/rows', '/rows.csv', '/images']) {
        const headers = { 'x-api-key': reader.key }
        const answer = await fetch(`${world.url}/v1/imports/${id}${path}`, { headers })
        assert.equal(answer.status, kind === own ? 200 : 403, `${scope} ${kind}${path}`)
        assert.doesNotMatch(kind === own ? '' : await answer.text(), /Secret|secret/)
      }
      assert.equal(list.includes(id), isSeen(kind), `${scope} lists ${kind}`)
      for (const path of ['', '.csv']) {
        const { status, text } = await person.get(`/${store.id}/settings/imports/${id}${path}`)
        assert.equal(status, isSeen(kind) ? 200 : 403, `${scope} ${kind}${path}`)
        if (!isSeen(kind)) assert.doesNotMatch(text, /Secret|secret/)
      }
    }
  }
})

test('a file keeps the name that the form has for it, and one that is sent comes before', async () => {
  const { api } = await world.newStore()
  const own = await previewed(world, api, files.products, { kind: 'products' })
  const named = await previewed(world, api, files.products, { kind: 'products', file_name: 'mine.csv' })
  assert.deepEqual([own.file_name, named.file_name], ['file.csv', 'mine.csv'])
})

test("a store's files are read one at a time, of many at once the sixth is refused", async () => {
  const [shop, other] = [await world.newStore(), await world.newStore()]
  const text = `name,price\n${'Mug,1\n'.repeat(5_000)}`
  const send = (api: typeof shop.api) => upload(api, text, { kind: 'products' }, { prefer: 'dry-run' })
  const answers = await Promise.all([...Array.from({ length: 7 }, () => send(shop.api)), send(other.api)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array<number>(6).fill(201), 429, 429])
  assert.equal(answers[7]!.status, 201)
  const refused = answers.find(({ status }) => status === 429)!
  assert.deepEqual([refused.error.code, refused.headers.get('retry-after')], ['RATE_LIMITED', '1'])
  assert.equal((await send(shop.api)).status, 201)
})
