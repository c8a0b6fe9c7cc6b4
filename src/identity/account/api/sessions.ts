// The current session and the person's other sessions.
import { notFoundResponse } from '../../../kit/declare/errorresponse.ts'
import { json } from '../../../kit/declare/route.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { listSessions, type UserSession } from '../../accounts/session.ts'
import { endOtherSessions, endSession } from '../operations.ts'
import {
  anybody,
  del,
  done,
  doneSchema,
  flag,
  get,
  buildListSchema,
  moment,
  readPathId,
  publicRole,
  record,
  roleSchema,
  words,
  type PortalRoute,
} from '../portal.ts'

const person = record(null, { id: words, email: words, name: { type: ['string', 'null'] } })
const store = record(null, {
  id: words,
  name: words,
  role: roleSchema,
  role_name: { type: ['string', 'null'] },
  status: words,
})
const own = record('Signed in', { user: person, signed_in_at: moment, stores: buildListSchema(store) })
const session = record('Session', {
  id: words,
  ip: words,
  user_agent: words,
  created_at: moment,
  last_seen_at: moment,
  is_current: flag,
})

export const sessionRoutes: PortalRoute[] = [
  get('/session', {
    ...anybody,
    summary: 'Get the current session and its stores',
    returns: own,
    run: ({ session }) => json(whoIs(session)),
  }),
  get('/sessions', {
    ...anybody,
    summary: 'List your sessions',
    returns: buildListSchema(session),
    run: async ({ db, session }) => {
      const all = await listSessions(db, session.user_id)
      return json(all.map((other) => ({ ...other, is_current: other.id === session.id })))
    },
  }),
  del('/sessions', {
    ...anybody,
    summary: 'End all other sessions',
    returns: doneSchema,
    run: async ({ tx, session, actor }) => endOtherSessions(tx, session, actor).then(() => done),
  }),
  del('/sessions/{session}', {
    ...anybody,
    refuses: [notFoundResponse],
    summary: 'End a session',
    returns: doneSchema,
    run: async ({ tx, session, actor, params }) =>
      endSession(tx, session, readPathId(params, 'session'), actor).then(() => done),
  }),
]

function whoIs({ user_id, email, name, stores, created_at }: UserSession) {
  const own = stores.map(({ id, name, role, status }) => ({ id, name, ...publicRole(role), status }))
  return { user: { id: publicId('usr', user_id), email, name }, signed_in_at: created_at, stores: own }
}
