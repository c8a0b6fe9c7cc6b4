import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { notFoundResponse, type ErrorResponse } from '../../kit/declare/errorresponse.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { notFound } from '../../kit/values/errors.ts'
import { notRevertible } from './errors.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { auditCsv } from './csv.ts'
import { auditEntry } from './entry.ts'
import { nounNames } from './nouns.ts'
import { revertChange } from './revert.ts'
import type { UndoTools } from '../../tenancy/tables/table.ts'

const { act } = buildRouteVerbs<Store, UndoTools>('Audit')

/** The form of ids that a server accepts as X-Request-Id. */
const requestIdForm = /^[\w.:-]{1,128}$/

const blockedResponse: ErrorResponse = {
  name: 'NotRevertible',
  description: 'Later changes to the records prevent the revert; details.obstacles lists them.',
  examples: {
    changedSince: notRevertible([
      {
        resource: 'product',
        id: 'prod_01j4ppgy1yf81r8stpc70j8epm',
        field: 'price',
        reason: 'changed_since',
        later: [{ request_id: 'req-2', operation: 'updateProduct', created_at: '2026-11-22T10:00:00.000Z' }],
      },
    ]),
  },
}

const audit = buildCrudRoutes<Store>('Audit')(auditEntry, {
  path: '/audit',
  read: 'read:audit',
  plural: 'audit entries',
})

export const routes = [
  audit.list({ csv: ({ db, store, query }) => auditCsv(db, store, query) }),
  act('/changes/{request_id}/revert', {
    scope: 'write:audit',
    words: {
      request_id: {
        description: 'X-Request-Id in the response to the write',
        example: '7f1c6a52-3f0e-4d8e-9b1a-1d0f5b7a9c11',
      },
    },
    refuses: [notFoundResponse, blockedResponse],
    operationId: 'revertChange',
    returns: {
      title: 'Reverted change',
      type: 'object',
      properties: {
        request_id: { type: 'string', description: 'X-Request-Id of this revert, which can itself be reverted' },
        records: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              resource: { type: 'string', enum: nounNames },
              id: { type: 'string' },
              action: { type: 'string', enum: ['changed', 'moved', 'removed', 'restored'] },
            },
            required: ['resource', 'id', 'action'],
          },
        },
      },
      required: ['request_id', 'records'],
    },
    summary: "Revert a request's changes",
    run: async ({ tx, store, params, actor, scopes, eraseCustomer, vault }) => {
      const { request_id } = params as unknown as { request_id: string }
      if (!requestIdForm.test(request_id)) throw notFound('Change')
      const records = await revertChange({ tx, store, actor, scopes, deps: { eraseCustomer, vault } }, request_id)
      return json({ request_id: tx.cause.requestId, records })
    },
  }),
]
