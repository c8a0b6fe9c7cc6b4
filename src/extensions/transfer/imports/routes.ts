import { page } from '../../../kit/declare/page.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { buildRouteVerbs } from '../../../kit/declare/route.ts'
import { conflict } from '../../../kit/values/errors.ts'
import { notFoundResponse, type ErrorResponse } from '../../../kit/declare/errorresponse.ts'
import type { RateLimiter } from '../../../platform/ratelimit/ratelimit.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { findImport, isReadable } from './access.ts'
import { rowsCsv } from './csv.ts'
import { maxFileBytes } from './file.ts'
import { importChanges, importJob, importRow, newImport } from './import.ts'
import { importImage } from './image.ts'
import { changeImport } from './change.ts'
import {
  createImport,
  retryImages,
  startImport,
  stopImport,
  storeFile,
  undoImport,
  type ReadFile,
} from './operations.ts'
import { kinds, getImportReadScope, getImportScope } from './sources/source.ts'

const { get, post, patch, act } = buildRouteVerbs<Store, { limiter: RateLimiter }>('Imports')

const write = kinds.map(getImportScope)
const read = kinds.map(getImportReadScope)
const one = { params: { id: importJob }, returns: importJob.entity }

const wrongState: ErrorResponse = {
  name: 'ImportState',
  description: 'The import is in a state that does not allow this.',
  examples: { state: conflict('An import that is running cannot be started. It must be ready or stopped') },
}
const refuses = [notFoundResponse, wrongState]

export const routes = [
  get('/imports', {
    scope: read,
    query: importJob.query,
    returns: importJob.entity,
    list: true,
    summary: 'List imports',
    run: ({ db, store, query, scopes }) => page(db, importJob, store, query, isReadable({ scopes })),
  }),
  post('/imports', {
    scope: write,
    body: newImport,
    file: { field: 'file', maxBytes: maxFileBytes },
    returns: importJob.entity,
    summary: 'Upload a file and preview its import',
    prepare: async (call) => ({ read: await storeFile(call), isDryRun: call.isDryRun }),
    run: ({ tx, body, prepared, ...caller }) => {
      const { read: file, isDryRun } = prepared as { read: ReadFile; isDryRun: boolean }
      return createImport(tx, caller, body, file, isDryRun)
    },
  }),
  get('/imports/{id}', {
    scope: read,
    ...one,
    summary: 'Get an import',
    run: async ({ db, store, params, ...caller }) => (await findImport(db, store.id, params.id, caller)).json,
  }),
  patch('/imports/{id}', {
    scope: write,
    ...one,
    body: importChanges,
    refuses,
    summary: 'Change the mapping of an import and preview it again',
    run: ({ tx, params, body, ...caller }) => changeImport(tx, caller, params.id, body),
  }),
  get('/imports/{id}/rows', {
    scope: read,
    params: { id: importJob },
    query: importRow.query,
    returns: importRow.entity,
    list: true,
    csv: rowsCsv,
    summary: "List an import's rows",
    async run({ db, store, params, query, ...caller }) {
      await findImport(db, store.id, params.id, caller)
      return page(db, importRow, store, query, sql`${raw('import_rows.import_id')} = ${params.id}`)
    },
  }),
  get('/imports/{id}/images', {
    scope: read,
    params: { id: importJob },
    query: importImage.query,
    returns: importImage.entity,
    list: true,
    summary: "List an import's images",
    async run({ db, store, params, query, ...caller }) {
      await findImport(db, store.id, params.id, caller)
      return page(db, importImage, store, query, sql`${raw('import_images.import_id')} = ${params.id}`)
    },
  }),
  act('/imports/{id}/start', {
    scope: write,
    ...one,
    refuses,
    summary: 'Start an import, or continue one that was stopped',
    run: ({ tx, params, ...caller }) => startImport(tx, caller, params.id),
  }),
  act('/imports/{id}/stop', {
    scope: write,
    ...one,
    refuses,
    summary: 'Stop an import',
    run: ({ tx, params, ...caller }) => stopImport(tx, caller, params.id),
  }),
  act('/imports/{id}/undo', {
    scope: write,
    ...one,
    refuses,
    summary: 'Undo an import',
    run: ({ tx, params, ...caller }) => undoImport(tx, caller, params.id),
  }),
  act('/imports/{id}/retry-images', {
    scope: write,
    ...one,
    refuses,
    summary: "Fetch an import's failed images again",
    run: ({ tx, params, ...caller }) => retryImages(tx, caller, params.id),
  }),
]
