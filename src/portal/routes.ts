// The portal as JSON, under /oauth/portal/api, for people who are signed in: their sessions, the team of a store, the
// apps that were let into it, and a developer's own clients.
import { list } from '../kit/declare/composites.ts'
import { choice, text } from '../kit/declare/scalars.ts'
import { deleted, deletedSchema, json, routesOf, type Route } from '../kit/declare/route.ts'
import { createBody } from '../kit/declare/shape.ts'
import { publicId } from '../kit/values/ids.ts'
import type { Language } from '../kit/values/language.ts'
import type { JsonSchema } from '../kit/declare/field.ts'
import type { Doer } from '../audit/securityevent.ts'
import { listSessions, type Membership, type Session } from '../accounts/session.ts'
import { listTeam } from '../accounts/team.ts'
import { managers, roles } from '../accounts/user.ts'
import { disconnectApp, listApps } from '../oauth/apps.ts'
import { createClient, deleteClient, listClients, rotateSecret } from '../oauth/portal.ts'
import {
  endOtherSessions,
  endSession,
  invitation,
  removePerson,
  sendInvitation,
  setRole,
  type PortalTools,
} from './operations.ts'

/** Who asks, and the store of the path; without one its id is empty and nothing may be done in it. */
export type Workplace = Membership & { session: Session; language: Language; by: Doer }

/** Whoever is signed in has it. */
export const portalScope = 'portal'

const { get, post, act, del } = routesOf<Workplace, PortalTools>()
const scope = portalScope
const anybody = { scope, session: {} }
const lately = { scope, session: { isRecent: true } }
const inStore = (allowed: readonly string[]) => ({ scope, session: { roles: allowed } })

const done = json({ done: true })
const doneSchema: JsonSchema = {
  type: 'object',
  properties: { done: { type: 'boolean', const: true } },
  required: ['done'],
}
const record: JsonSchema = { type: 'object' }
const records: JsonSchema = { type: 'array', items: record }

const words = {
  store: { description: 'The id of the store', example: 'SH-4K7QW2ZD' },
  id: { description: 'The id of the session or of the client', example: '01912d68-783e-7a03-8467-5661c1243ad4' },
  person: { description: 'The id of the member or of the invitation', example: 'usr_01j4pvgy1yf81rgs5pcr9r4fpm' },
  client: { description: 'The client_id of the app', example: 'client_4XbFqM1s7LwTn2cRzVdKp8Hy' },
}

const newRole = createBody({ role: choice(roles).required() })
const newClient = createBody({
  client_name: text({ max: 1000 }).required(),
  redirect_uris: list(text({ max: 2000 }), { max: 100 }).required(),
  scope: text({ max: 2000 }),
  token_endpoint_auth_method: text({ max: 100 }),
  software_id: text({ max: 1000 }),
})

export const portalRoutes: Route<Workplace, PortalTools>[] = [
  get('/session', {
    ...anybody,
    summary: 'Who is signed in, and the stores they work in',
    returns: record,
    run: ({ store: { session } }) => json(whoIs(session)),
  }),
  get('/sessions', {
    ...anybody,
    summary: 'List own sessions',
    returns: records,
    run: async ({ db, store: { session } }) => {
      const all = await listSessions(db, session.user_id)
      return json(all.map((other) => ({ ...other, is_current: other.id === session.id })))
    },
  }),
  del('/sessions', {
    ...anybody,
    summary: 'End all other sessions',
    returns: doneSchema,
    run: async ({ tx, store: { session, by } }) => endOtherSessions(tx, session, by).then(() => done),
  }),
  del('/sessions/{id}', {
    ...anybody,
    words,
    summary: 'End a session',
    returns: doneSchema,
    run: async ({ tx, store: { session, by }, params }) => endSession(tx, session, idIn(params), by).then(() => done),
  }),
  get('/stores/{store}/team', {
    ...inStore(roles),
    words,
    summary: 'List the people of a store',
    returns: records,
    run: async ({ db, store }) => json((await listTeam(db, store.id)).map(publicPerson)),
  }),
  post('/stores/{store}/team', {
    ...inStore(managers),
    session: { roles: managers, isRecent: true },
    words,
    summary: 'Invite a person by mail',
    body: invitation,
    returns: doneSchema,
    run: async ({ tx, store, body, limiter, mail, siteUrl }) => {
      await sendInvitation(tx, { limiter, mail, siteUrl }, { store, ...store, ...body })
      return done
    },
  }),
  act('/stores/{store}/team/{person}', {
    ...inStore(['owner']),
    session: { roles: ['owner'], isRecent: true },
    words,
    summary: "Change a member's role",
    body: newRole,
    returns: doneSchema,
    run: async ({ tx, store, params, body }) =>
      setRole(tx, store, store.session, { person: personIn(params), role: body.role }).then(() => done),
  }),
  del('/stores/{store}/team/{person}', {
    ...inStore(roles),
    words,
    summary: 'Remove a member or withdraw an invitation',
    returns: doneSchema,
    run: async ({ tx, store, params }) => removePerson(tx, store, store.session, personIn(params)).then(() => done),
  }),
  get('/stores/{store}/apps', {
    ...inStore(roles),
    words,
    summary: 'List the apps that were let into a store',
    returns: records,
    run: async ({ db, store }) => json(await listApps(db, store.id)),
  }),
  del('/stores/{store}/apps/{client}', {
    ...inStore(managers),
    words,
    summary: "End an app's access to a store",
    returns: deletedSchema,
    run: async ({ tx, store, params }) => {
      await disconnectApp(tx, store.id, (params as { client: string }).client, store.by)
      return deleted
    },
  }),
  get('/clients', {
    ...anybody,
    summary: 'List own clients',
    returns: records,
    run: async ({ db, store: { session } }) => json(await listClients(db, session.user_id)),
  }),
  post('/clients', {
    ...lately,
    summary: 'Create a client; its secret is in this answer only',
    body: newClient,
    returns: record,
    run: async ({ tx, store: { session }, body }) =>
      json(
        await createClient(tx, session.user_id, {
          name: body.client_name,
          redirectUris: body.redirect_uris,
          scope: body.scope ?? '',
          ...(body.token_endpoint_auth_method ? { authMethod: body.token_endpoint_auth_method } : {}),
          ...(body.software_id ? { softwareId: body.software_id } : {}),
        }),
      ),
  }),
  act('/clients/{id}/secret', {
    ...lately,
    words,
    summary: 'Give a client a new secret; the old one ends',
    returns: record,
    run: async ({ tx, store: { session }, params }) => json(await rotateSecret(tx, session.user_id, idIn(params))),
  }),
  del('/clients/{id}', {
    ...lately,
    words,
    summary: 'Delete a client with all that it was granted',
    returns: deletedSchema,
    run: async ({ tx, store: { session }, params }) =>
      deleteClient(tx, session.user_id, idIn(params)).then(() => deleted),
  }),
]

function whoIs({ user_id, email, name, stores, created_at }: Session) {
  const own = stores.map(({ id, name, role, status }) => ({ id, name, role, status }))
  return { user: { id: publicId('usr', user_id), email, name }, signed_in_at: created_at, stores: own }
}

function publicPerson({ user_id, invitation_id, ...person }: Awaited<ReturnType<typeof listTeam>>[number]) {
  return { id: user_id ? publicId('usr', user_id) : invitation_id, ...person, is_invited: user_id === null }
}

const idIn = (params: object): string => (params as { id: string }).id
const personIn = (params: object): string => (params as { person: string }).person
