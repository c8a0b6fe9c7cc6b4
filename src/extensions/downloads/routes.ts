import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { file, grant, key, keysAdded, maxFileBytes, newKeys, renewal, settings, upload } from './download.ts'
import { createFile, deleteFile, storeFile, type FileDeps } from './files.ts'
import { renewGrant, revokeGrant } from './grants.ts'
import { addKeys, deleteKey } from './keys.ts'
import { findSettings, saveSettings } from './settings.ts'

const tag = 'Downloads'
const { get, act, patch } = buildRouteVerbs<Store>(tag)
const crud = buildCrudRoutes<Store, FileDeps>(tag)
const ofProducts = { read: 'read:products', write: 'write:products' }

const files = crud(file, { path: '/downloads/files', ...ofProducts, plural: 'files of products' })
const keys = crud(key, { path: '/downloads/keys', ...ofProducts, plural: 'license keys' })
const grants = crud(grant, { path: '/downloads/grants', read: 'read:orders', plural: 'download grants' })

const ofGrant = { scope: 'write:orders', params: { id: grant }, returns: grant.entity } as const
const settingsPath = '/downloads/settings'

export const routes = [
  files.list(),
  files.create(({ tx, store, body, prepared }) => createFile(tx, store, prepared, body), {
    body: upload,
    file: { field: 'file', maxBytes: maxFileBytes },
    summary: 'Upload a file that buyers of a product can download',
    prepare: storeFile,
  }),
  files.get({ summary: 'Get a file of a product' }),
  files.remove(({ tx, store, params }) => deleteFile(tx, store, params.id), { summary: 'Delete a file of a product' }),
  grants.list(),
  grants.get(),
  act('/downloads/grants/{id}/renew', {
    ...ofGrant,
    body: renewal,
    summary: 'Let a buyer download a file again',
    run: ({ tx, store, params, body }) => renewGrant(tx, store, params.id, body),
  }),
  act('/downloads/grants/{id}/revoke', {
    ...ofGrant,
    summary: 'End the downloads of a buyer',
    run: ({ tx, store, params }) => revokeGrant(tx, store, params.id),
  }),
  keys.list(),
  act('/downloads/keys', {
    scope: 'write:products',
    body: newKeys,
    returns: keysAdded.entity,
    summary: 'Add license keys, one per line',
    operationId: 'addLicenseKeys',
    isConfidential: true,
    run: ({ tx, store, body }) => addKeys(tx, store, body),
  }),
  keys.get(),
  keys.remove(({ tx, store, params }) => deleteKey(tx, store, params.id), {
    summary: 'Delete a license key that was not handed out',
  }),
  get(settingsPath, {
    scope: 'read:store',
    returns: settings.entity,
    summary: 'Get the download settings',
    operationId: 'getDownloadSettings',
    run: ({ db, store }) => findSettings(db, store),
  }),
  patch(settingsPath, {
    scope: 'write:store',
    body: settings.patch,
    returns: settings.entity,
    summary: 'Update the download settings',
    operationId: 'updateDownloadSettings',
    run: ({ tx, store, body }) => saveSettings(tx, store, body),
  }),
]
