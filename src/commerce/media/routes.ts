import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { maxFileBytes } from './limits.ts'
import { media, upload } from './media.ts'
import { createMedia, deleteMedia, storeUpload, updateMedia, type MediaDeps } from './operations.ts'

// Any credential that can write records with images can upload images.
const images = buildCrudRoutes<Store, MediaDeps>('Media')(media, {
  path: '/media',
  read: ['read:products', 'read:categories', 'read:store'],
  write: ['write:products', 'write:categories', 'write:store'],
  plural: 'images',
})

export const routes = [
  images.list(),
  images.create(({ tx, store, body, prepared, media: deps }) => createMedia(tx, store, prepared, body, deps), {
    body: upload,
    file: { field: 'file', maxBytes: maxFileBytes },
    summary: 'Upload an image or import one by URL',
    prepare: storeUpload,
  }),
  images.get({ summary: 'Get an image' }),
  images.update(({ tx, store, params, body }) => updateMedia(tx, store, params.id, body), {
    summary: "Update an image's alt text",
  }),
  images.remove(({ tx, store, params }) => deleteMedia(tx, store, params.id), {
    summary: 'Delete an image and its files',
  }),
]
