// A plus sign in a query is a space unless it is encoded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../world.ts'

const world = await openWorld()

// prettier-ignore
const parameters: [route: string, name: string][] = [
  ['/v1/orders',    'date_from'],
  ['/v1/orders',    'updated_at[gte]'],
  ['/v1/customers', 'last_order_at[gte]'],
]

test('a time whose plus sign is not encoded is refused with the reason, and taken when it is', async () => {
  const { api } = await world.newStore()
  for (const [route, name] of parameters) {
    const query = `${encodeURIComponent(name)}=2026-01-31T10:00:00`
    const plain = await api.get(`${route}?${query}+02:00`)
    assert.deepEqual(
      [plain.status, plain.error.details],
      [422, [{ field: name, message: 'has a space in place of a plus sign: write + as %2B in URLs' }]],
    )
    assert.equal((await api.get(`${route}?${query}%2B02:00`)).status, 200, name)
  }
  assert.equal((await api.get('/v1/customers?search=ana+torres')).status, 200)
})
