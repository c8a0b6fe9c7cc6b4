// Endpoints for a store's API keys. Only people may call them: no key creates another.
import { find, page } from '../../kit/declare/page.ts'
import { deleted, deletedSchema, json, routesOf } from '../../kit/declare/route.ts'
import { integer } from '../../kit/declare/scalars.ts'
import { createBody, patchBody } from '../../kit/declare/shape.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { apiKey } from './apikey.ts'
import { createKey, deleteKey, rotateKey, updateKey } from './operations.ts'

const { get, post, patch, del, act } = routesOf<Store>('API keys')

/** Owners and administrators have it. */
export const keyScope = 'keys'

const longestOverlapHours = 7 * 24

const overlap = integer({ min: 0, max: longestOverlapHours }).default(24)
const rotation = createBody({ overlap_hours: overlap.describe('How long the old one works beside the new') })
const { name, policy, is_active } = apiKey.fields
const changes = patchBody({ name, policy, is_active })

const keyOnce = { type: 'object', properties: { id: { type: 'string' }, key: { type: 'string' } } }

export const keyRoutes = [
  get('/api-keys', {
    scope: keyScope,
    query: apiKey.query,
    returns: apiKey.entity,
    list: true,
    summary: 'List the API keys',
    run: ({ db, store, query }) => page(db, apiKey, store, query),
  }),
  get('/api-keys/{key}', {
    scope: keyScope,
    params: { key: apiKey },
    returns: apiKey.entity,
    summary: 'Get an API key',
    run: ({ db, store, params }) => find(db, apiKey, store.id, params.key),
  }),
  post('/api-keys', {
    scope: keyScope,
    body: apiKey.create,
    returns: keyOnce,
    summary: 'Make an API key; it is in this answer only',
    run: async ({ tx, store, body, actor }) => {
      const made = await createKey(tx, store, body, actor)
      return { id: made.id, json: json(made) }
    },
  }),
  patch('/api-keys/{key}', {
    scope: keyScope,
    params: { key: apiKey },
    body: changes,
    returns: apiKey.entity,
    summary: 'Rename a key, limit it, or switch it off or on',
    run: ({ tx, store, params, body, actor }) => updateKey(tx, store, params.key, body, actor),
  }),
  act('/api-keys/{key}/rotate', {
    scope: keyScope,
    params: { key: apiKey },
    body: rotation,
    returns: keyOnce,
    summary: 'Make another key for the same; the old one ends after a while',
    run: async ({ tx, store, params, body, actor }) => json(await rotateKey(tx, store, params.key, body, actor)),
  }),
  del('/api-keys/{key}', {
    scope: keyScope,
    params: { key: apiKey },
    returns: deletedSchema,
    summary: 'Delete an API key',
    run: ({ tx, store, params, actor }) => deleteKey(tx, store, params.key, actor).then(() => deleted),
  }),
]
