// A store with something to sell: products and orders in one call, their events already read.
import assert from 'node:assert/strict'
import type { Answer } from './client.ts'
import type { TestStore, World } from './world.ts'

export type Shop = TestStore & {
  /** A tracked product of 10.00 with 5 pieces, unless the body says otherwise. */
  product(body?: object): Promise<any>
  /** A tracked product with a red and a blue variant, 3 and 4 pieces. */
  variants(body?: object): Promise<any>
  order(items: object[] | any, body?: object): Promise<any>
  /** How many pieces there are of a product. */
  stockOf(product: { id: string }): Promise<number>
}

export const red = { option_title: 'Colour', value: 'Red' }
export const blue = { option_title: 'Colour', value: 'Blue' }

export async function newShop(world: World, options?: Parameters<World['newStore']>[0]): Promise<Shop> {
  const shop = await world.newStore(options)
  const { api, events } = shop
  const create = async (path: string, body: object) => {
    const created = await api.post(path, body)
    await events()
    return dataOf(created, 201)
  }
  const product = (body = {}) =>
    create('/v1/products', { name: 'Mug', price: 10, track_inventory: true, stock_quantity: 5, ...body })
  return {
    ...shop,
    product,
    variants: (body = {}) =>
      product({
        name: 'Shirt',
        stock_quantity: undefined,
        variants: [
          { option_values: [red], stock_quantity: 3 },
          { option_values: [blue], stock_quantity: 4 },
        ],
        ...body,
      }),
    order: (items, body = {}) => create('/v1/orders', { items: Array.isArray(items) ? items : [sold(items)], ...body }),
    stockOf: async ({ id }) => (await api.get(`/v1/inventory/products/${id}`)).data.stock_quantity,
  }
}

/** A line of an order. */
export function sold({ id }: { id: string }, quantity = 1, more: object = {}): object {
  return { product_id: id, quantity, ...more }
}

export function dataOf({ status, data, error }: Answer, expected: number): any {
  assert.equal(status, expected, JSON.stringify(error))
  return data
}

/** The faults of a refusal as field → message. */
export function faultsOf({ status, error }: Answer): Record<string, string> {
  assert.equal(status, 422)
  assert.equal(error.code, 'VALIDATION_ERROR')
  return Object.fromEntries(error.details.map(({ field, message }: any) => [field, message]))
}
