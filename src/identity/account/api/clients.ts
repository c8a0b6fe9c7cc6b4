// A developer's own clients.
import type { JsonSchema } from '../../../kit/declare/field.ts'
import { list } from '../../../kit/declare/composites.ts'
import { text } from '../../../kit/declare/scalars.ts'
import { notFoundResponse } from '../../../kit/declare/errorresponse.ts'
import { deleted, deletedSchema, json, noAddress } from '../../../kit/declare/route.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { createClient, deleteClient, listClients, rotateSecret } from '../../oauth/operations.ts'
import {
  act,
  anybody,
  del,
  get,
  lately,
  buildListSchema,
  moment,
  readPathId,
  post,
  record,
  words,
  type PortalRoute,
} from '../portal.ts'

const newClient = createBody({
  client_name: text({ max: 1000 }).required(),
  redirect_uris: list(text({ max: 2000 }), { max: 100 }).required(),
  scope: text({ max: 2000 }),
  token_endpoint_auth_method: text({ max: 100 }),
  software_id: text({ max: 1000 }).describe('Identifier shared by all installations of the software'),
})

const client = record('OAuth client', {
  client_id: words,
  client_name: words,
  redirect_uris: buildListSchema(words),
  scope: words,
  token_endpoint_auth_method: words,
  created_at: moment,
})
/** A public client has no secret. */
const secretOnce: JsonSchema = {
  type: 'object',
  properties: { client_id: words, client_secret: words },
  required: ['client_id'],
}

export const clientRoutes: PortalRoute[] = [
  get('/clients', {
    ...anybody,
    summary: 'List your OAuth clients',
    returns: buildListSchema(client),
    run: async ({ db, session }) => json(await listClients(db, session.user_id)),
  }),
  post('/clients', {
    ...lately,
    operationId: 'createPortalClient',
    summary: 'Create an OAuth client',
    body: newClient,
    returns: secretOnce,
    makesRecord: false,
    run: async ({ tx, session, body }) =>
      noAddress(
        await createClient(tx, session.user_id, {
          name: body.client_name,
          redirectUris: body.redirect_uris,
          scope: body.scope ?? '',
          ...(body.token_endpoint_auth_method ? { authMethod: body.token_endpoint_auth_method } : {}),
          ...(body.software_id ? { softwareId: body.software_id } : {}),
        }),
      ),
  }),
  act('/clients/{client}/secret', {
    ...lately,
    refuses: [notFoundResponse],
    operationId: 'rotateClientSecret',
    summary: "Rotate an OAuth client's secret",
    returns: secretOnce,
    run: async ({ tx, session, params }) => json(await rotateSecret(tx, session.user_id, readPathId(params, 'client'))),
  }),
  del('/clients/{client}', {
    ...lately,
    refuses: [notFoundResponse],
    summary: 'Delete an OAuth client and its grants',
    returns: deletedSchema,
    run: async ({ tx, session, params }) =>
      deleteClient(tx, session.user_id, readPathId(params, 'client')).then(() => deleted),
  }),
]
