// Categories below others: their places, moves of a subtree, and the products of one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { brokenInvariants } from '../../program/cli/invariants.ts'

const world = await openWorld()

type Shop = Pick<TestStore, 'api'>

const create = async ({ api }: Shop, name: string, parent: { id: string } | null = null) =>
  dataOf(await api.post('/v1/categories', { name, parent_id: parent?.id ?? null }), 201)

/** Categories below each other, from the top. */
async function createChain(shop: Shop, ...names: string[]): Promise<any[]> {
  const chain: any[] = []
  for (const name of names) chain.push(await create(shop, name, chain.at(-1)))
  return chain
}

const read = async ({ api }: Shop, { id }: { id: string }) => (await api.get(`/v1/categories/${id}`)).data
const move = ({ api }: Shop, { id }: { id: string }, parent: { id: string } | null) =>
  api.patch(`/v1/categories/${id}`, { parent_id: parent?.id ?? null })
const listPaths = async ({ api }: Shop, query = 'sort=path&order=asc') =>
  (await api.get(`/v1/categories?${query}`)).data.map(({ path }: any) => path)

test('a category has its parent, its ancestors and its path', async () => {
  const shop = await world.newStore()
  const [clothing, men, shirts] = await createChain(shop, 'Clothing', 'Men', 'Shirts')
  assert.deepEqual([clothing.parent_id, clothing.ancestor_ids, clothing.path], [null, [], 'clothing'])
  assert.deepEqual(
    [shirts.parent_id, shirts.ancestor_ids, shirts.path],
    [men.id, [clothing.id, men.id], 'clothing/men/shirts'],
  )
  await create(shop, 'Men-at-work', clothing)
  await create(shop, 'Art')
  const tree = ['art', 'clothing', 'clothing/men', 'clothing/men/shirts', 'clothing/men-at-work']
  assert.deepEqual(await listPaths(shop), tree)
  assert.deepEqual(await listPaths(shop, 'sort=path&order=desc'), tree.toReversed())
  assert.deepEqual(await listPaths(shop, `parent_id=${clothing.id}&sort=path&order=asc`), [tree[2], tree[4]])
  assert.deepEqual(await listPaths(shop, 'parent_id=none&sort=name&order=asc'), ['art', 'clothing'])
  assert.deepEqual(await listPaths(shop, 'parent_id=prod_7'), [])
})

test('a subtree moves with its category, and paths follow slugs', async () => {
  const shop = await world.newStore()
  const [clothing, men, shirts] = await createChain(shop, 'Clothing', 'Men', 'Shirts')
  const [sale, outlet] = await createChain(shop, 'Sale', 'Outlet')
  const moved = dataOf(await move(shop, men, outlet), 200)
  assert.deepEqual([moved.ancestor_ids, moved.path], [[sale.id, outlet.id], 'sale/outlet/men'])
  const below = await read(shop, shirts)
  assert.deepEqual([below.ancestor_ids, below.path], [[sale.id, outlet.id, men.id], 'sale/outlet/men/shirts'])
  await shop.api.patch(`/v1/categories/${outlet.id}`, { slug: 'last-chance' })
  assert.equal((await read(shop, shirts)).path, 'sale/last-chance/men/shirts')
  dataOf(
    await shop.api.patch(`/v1/categories/${men.id}`, { slug: 'gents', parent_id: clothing.id, name: 'Gents' }),
    200,
  )
  assert.equal((await read(shop, shirts)).path, 'clothing/gents/shirts')
  assert.equal(dataOf(await move(shop, men, null), 200).path, 'gents')
  assert.deepEqual([(await read(shop, shirts)).path, (await read(shop, shirts)).parent_id], ['gents/shirts', men.id])
  assert.deepEqual(await brokenInvariants(world.app.db, shop.store.id), [])
})

test('there are five levels, and no category is below itself', async () => {
  const shop = await world.newStore()
  const chain = await createChain(shop, 'A', 'B', 'C', 'D', 'E')
  const refused = async (answer: any) => faultsOf(await answer).parent_id
  const levels = 'would lead to more than 5 levels'
  assert.equal(await refused(shop.api.post('/v1/categories', { name: 'F', parent_id: chain[4].id })), levels)
  const [, low] = await createChain(shop, 'X', 'Y')
  assert.equal(await refused(move(shop, { id: low.parent_id }, chain[3])), levels)
  dataOf(await move(shop, { id: low.parent_id }, chain[2]), 200)
  const circle = 'must not be the category itself or one below it'
  for (const parent of [chain[0], chain[1], chain[4]]) assert.equal(await refused(move(shop, chain[0], parent)), circle)
  const elsewhere = await create(await world.newStore(), 'Elsewhere')
  const unknown = 'does not exist'
  assert.equal(await refused(move(shop, chain[0], elsewhere)), unknown)
  assert.equal(await refused(shop.api.post('/v1/categories', { name: 'A', parent_id: elsewhere.id })), unknown)
  const bad = await shop.api.post('/v1/categories', { name: '', slug: 'No', parent_id: 'prod_1' })
  assert.deepEqual(Object.keys(faultsOf(bad)).toSorted(), ['name', 'parent_id', 'slug'])
  assert.equal((await move(shop, { id: elsewhere.id }, chain[0])).status, 404)
  assert.equal((await read(shop, chain[4])).path, 'a/b/c/d/e')
})

test('the categories below a deleted one move up, and an undo brings them back', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const [clothing, men, shirts] = await createChain(shop, 'Clothing', 'Men', 'Shirts')
  const polo = await create(shop, 'Polo', shirts)
  const product = dataOf(await api.post('/v1/products', { name: 'Tee', price: 9, category_id: men.id }), 201)
  const deletion = await api.delete(`/v1/categories/${men.id}`)
  assert.equal(deletion.status, 200)
  assert.deepEqual(await listPaths(shop), ['clothing', 'clothing/shirts', 'clothing/shirts/polo'])
  assert.deepEqual((await read(shop, polo)).ancestor_ids, [clothing.id, shirts.id])
  dataOf(await api.post(`/v1/changes/${deletion.headers.get('x-request-id')}/revert`), 200)
  assert.deepEqual(await listPaths(shop), [
    'clothing',
    'clothing/men',
    'clothing/men/shirts',
    'clothing/men/shirts/polo',
  ])
  assert.equal((await api.get(`/v1/products/${product.id}`)).data.category_id, men.id)
  const top = await api.delete(`/v1/categories/${clothing.id}`)
  assert.deepEqual(await listPaths(shop), ['men', 'men/shirts', 'men/shirts/polo'])
  dataOf(await api.post(`/v1/changes/${top.headers.get('x-request-id')}/revert`), 200)
  assert.equal((await read(shop, polo)).path, 'clothing/men/shirts/polo')
  assert.deepEqual(await brokenInvariants(world.app.db, shop.store.id), [])
})

test('a dry run moves nothing, and a move is undone', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const [, men, shirts] = await createChain(shop, 'Clothing', 'Men', 'Shirts')
  const sale = await create(shop, 'Sale')
  const dry = { headers: { prefer: 'dry-run' } }
  assert.equal((await api.patch(`/v1/categories/${men.id}`, { parent_id: sale.id }, dry)).data.path, 'sale/men')
  assert.equal((await read(shop, shirts)).path, 'clothing/men/shirts')
  const moved = await move(shop, men, sale)
  const { changes } = (await api.get(`/v1/audit?resource_id=${men.id}`)).data[0]
  assert.deepEqual(Object.keys(changes?.[0]?.after ?? { parent_id: 1 }), ['parent_id'])
  dataOf(await api.post(`/v1/changes/${moved.headers.get('x-request-id')}/revert`), 200)
  assert.equal((await read(shop, shirts)).path, 'clothing/men/shirts')
  const created = await api.post('/v1/categories', { name: 'Parent' })
  await move(shop, shirts, created.data)
  const undo = await api.post(`/v1/changes/${created.headers.get('x-request-id')}/revert`)
  assert.equal(undo.status, 409)
})

test('two moves at once make no circle', async () => {
  const shop = await world.newStore()
  for (let round = 0; round < 10; round++) {
    const [a, b] = [await create(shop, `A ${round}`), await create(shop, `B ${round}`)]
    const answers = await Promise.all([move(shop, a, b), move(shop, b, a)])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422])
  }
  const chain = await createChain(shop, 'One', 'Two', 'Three')
  const [rest, last] = await createChain(shop, 'Rest', 'Last')
  await Promise.all([
    move(shop, chain[1], last),
    move(shop, rest, chain[0]),
    shop.api.post('/v1/categories', { name: 'New', parent_id: chain[2].id }),
    shop.api.delete(`/v1/categories/${chain[1].id}`),
    move(shop, chain[2], null),
  ])
  const all = (await shop.api.get('/v1/categories?per_page=100')).data
  const byId = new Map<string, any>(all.map((one: any) => [one.id, one]))
  for (const { parent_id, ancestor_ids, path, slug } of all) {
    const parent = byId.get(parent_id)
    assert.deepEqual(ancestor_ids, parent ? [...parent.ancestor_ids, parent.id] : [])
    assert.equal(path, parent ? `${parent.path}/${slug}` : slug)
  }
  assert.deepEqual(await brokenInvariants(world.app.db, shop.store.id), [])
})

test('products are listed by category, or by a category and those below it', async () => {
  const shop = await world.newStore()
  const { api } = shop
  const alone = await create(shop, 'Alone')
  const listNames = async (query: string) =>
    (await api.get(`/v1/products?sort=name&order=asc&${query}`)).data.map(({ name }: any) => name)
  await api.post('/v1/products', { name: 'Zip', price: 9, category_id: alone.id })
  assert.deepEqual(await listNames(`category_id=${alone.id}&subtree=true`), ['Zip'])
  const [clothing, men, shirts] = await createChain(shop, 'Clothing', 'Men', 'Shirts')
  for (const [name, { id }] of [
    ['Coat', clothing],
    ['Jacket', men],
    ['Polo', shirts],
  ] as const) {
    await api.post('/v1/products', { name, price: 9, category_id: id })
  }
  assert.deepEqual(await listNames(`category_id=${clothing.id}`), ['Coat'])
  assert.deepEqual(await listNames(`category_id=${clothing.id}&subtree=false`), ['Coat'])
  assert.deepEqual(await listNames(`category_id=${clothing.id}&subtree=true`), ['Coat', 'Jacket', 'Polo'])
  assert.deepEqual(await listNames(`category_id=${men.id},${alone.id}&subtree=true`), ['Jacket', 'Polo', 'Zip'])
  const count = await api.get(`/v1/products/count?category_id=${men.id}&subtree=true`)
  assert.equal(count.data.count, 2)
  assert.deepEqual(Object.keys(faultsOf(await api.get('/v1/products?subtree=perhaps'))), ['subtree'])
})
