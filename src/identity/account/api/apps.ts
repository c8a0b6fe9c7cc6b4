// The apps connected to a store.
import { deleted, deletedSchema, json } from '../../../kit/declare/route.ts'
import { managers } from '../../accounts/user.ts'
import { disconnectApp, listApps } from '../../oauth/apps.ts'
import { endGrantsOfUser } from '../../oauth/usergrants.ts'
import {
  del,
  done,
  doneSchema,
  get,
  inStore,
  lately,
  buildListSchema,
  moment,
  readPathId,
  record,
  words,
  type PortalRoute,
} from '../portal.ts'

const app = record('Connected app', {
  client_id: words,
  name: words,
  scopes: buildListSchema(words),
  granted_by: buildListSchema(words),
  connected_at: moment,
  last_used_at: { ...moment, type: ['string', 'null'] },
  webhooks: { type: 'integer', minimum: 0, description: 'Active webhooks of the app', examples: [1] },
})

export const appRoutes: PortalRoute[] = [
  del('/grants', {
    ...lately,
    operationId: 'endGrants',
    summary: 'Revoke access of all apps you have connected',
    returns: doneSchema,
    run: async ({ tx, session, actor }) => endGrantsOfUser(tx, session.user_id, actor).then(() => done),
  }),
  get('/stores/{store}/apps', {
    ...inStore(),
    summary: 'List connected apps',
    returns: buildListSchema(app),
    run: async ({ db, store }) => json(await listApps(db, store.id)),
  }),
  del('/stores/{store}/apps/{app}', {
    ...inStore({ roles: managers }),
    summary: "Revoke an app's access to a store",
    returns: deletedSchema,
    run: async ({ tx, store, actor, params }) => {
      await disconnectApp(tx, store.id, readPathId(params, 'app'), actor)
      return deleted
    },
  }),
]
