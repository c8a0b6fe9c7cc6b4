import { find, page } from '../../kit/declare/page.ts'
import { deleted, deletedSchema, routesOf } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { maximumBytes } from './accepted.ts'
import { media, upload } from './media.ts'
import { createMedia, deleteMedia, keepUpload, updateMedia, type MediaTools } from './operations.ts'

const { get, post, patch, del } = routesOf<Store, MediaTools>('Media')

// Whoever may write what shows pictures may bring them.
const read = ['read:products', 'read:categories', 'read:store']
const write = ['write:products', 'write:categories', 'write:store']

export const routes = [
  get('/media', {
    scope: read,
    query: media.query,
    returns: media.entity,
    list: true,
    summary: 'List images',
    run: ({ db, store, query }) => page(db, media, store, query),
  }),
  post('/media', {
    scope: write,
    body: upload,
    file: { field: 'file', maximumBytes },
    returns: media.entity,
    summary: 'Upload an image or import one by URL',
    prepare: keepUpload,
    run: ({ tx, store, body, prepared, media: tools }) => createMedia(tx, store, prepared, body, tools),
  }),
  get('/media/{id}', {
    scope: read,
    params: { id: media },
    returns: media.entity,
    summary: 'Get an image',
    run: ({ db, store, params }) => find(db, media, store.id, params.id),
  }),
  patch('/media/{id}', {
    scope: write,
    params: { id: media },
    body: media.patch,
    returns: media.entity,
    summary: "Update an image's alt text",
    run: ({ tx, store, params, body }) => updateMedia(tx, store, params.id, body),
  }),
  del('/media/{id}', {
    scope: write,
    params: { id: media },
    returns: deletedSchema,
    summary: 'Delete an image and its files',
    run: ({ tx, store, params }) => deleteMedia(tx, store, params.id).then(() => deleted),
  }),
]
