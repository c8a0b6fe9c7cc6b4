// Endpoints for a store's API keys. Only people may call them: no key creates another.
import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { integer } from '../../kit/declare/scalars.ts'
import { createBody, patchBody } from '../../kit/declare/shape.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { apiKey } from './apikey.ts'
import { createKey, deleteKey, rotateKey, updateKey } from './operations.ts'

const { act } = buildRouteVerbs<Store>('API keys')

/** The scope of owners and administrators. */
export const keyScope = 'keys'

const longestOverlapHours = 7 * 24

const overlap = integer({ min: 0, max: longestOverlapHours }).default(24)
const rotation = createBody({ overlap_hours: overlap.describe('Number of hours the old key keeps working') })
const { name, policy, is_active } = apiKey.fields
const changes = patchBody({ name, policy, is_active })

const keyOnce = { type: 'object', properties: { id: { type: 'string' }, key: { type: 'string' } } }

const keys = buildCrudRoutes<Store>('API keys')(apiKey, { path: '/api-keys', read: keyScope, id: 'key' })

export const keyRoutes = [
  keys.list({ summary: 'List API keys' }),
  keys.get(),
  keys.create(
    async ({ tx, store, body, actor }) => {
      const key = await createKey(tx, store, body, actor)
      return { id: key.id, json: json(key) }
    },
    { returns: keyOnce, summary: 'Create an API key (returned only once)' },
  ),
  keys.update(({ tx, store, params, body, actor }) => updateKey(tx, store, params.key, body, actor), {
    body: changes,
    summary: 'Update an API key',
  }),
  act('/api-keys/{key}/rotate', {
    scope: keyScope,
    params: { key: apiKey },
    body: rotation,
    returns: keyOnce,
    summary: 'Rotate an API key',
    run: async ({ tx, store, params, body, actor }) => json(await rotateKey(tx, store, params.key, body, actor)),
  }),
  keys.remove(({ tx, store, params, actor }) => deleteKey(tx, store, params.key, actor)),
]
