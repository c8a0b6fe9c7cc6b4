// The people of a store.
import { flag as flagField } from '../../../kit/declare/scalars.ts'
import { notFoundResponse, type ErrorResponse } from '../../../kit/declare/errorresponse.ts'
import { json, noAddress } from '../../../kit/declare/route.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { collided, conflict } from '../../../kit/values/errors.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { listTeam, requireSecondFactor, type TeamMember } from '../../accounts/team.ts'
import { teamScope } from '../../accounts/user.ts'
import { roleField } from '../role.ts'
import { invitation, removePerson, resendInvitation, sendInvitation, setRole } from '../operations.ts'
import {
  act,
  del,
  done,
  doneSchema,
  flag,
  get,
  inStore,
  inStoreLately,
  buildListSchema,
  moment,
  readPathId,
  publicRole,
  post,
  record,
  roleSchema,
  words,
  type PortalRoute,
} from '../portal.ts'

const member = record('Team member', {
  id: words,
  email: words,
  name: { type: ['string', 'null'] },
  role: roleSchema,
  role_name: { type: ['string', 'null'], description: 'Name of the custom role; null for the others' },
  created_at: moment,
  has_second_factor: flag,
  is_invited: flag,
  expires_at: { ...moment, type: ['string', 'null'], description: 'Time the invitation expires; null for members' },
})
const newRole = createBody({ role: roleField.required() })

const teamConflict: ErrorResponse = {
  name: 'TeamConflict',
  description:
    'The person is already a member, the store would have no owner, or another request changed the member at the ' +
    'same time.',
  examples: {
    member: conflict('ana@example.com is already a member of the store'),
    lastOwner: conflict('A store must have at least one owner'),
    collided: collided(),
  },
}

export const teamRoutes: PortalRoute[] = [
  get('/stores/{store}/team', {
    ...inStore(),
    summary: "List a store's team",
    returns: buildListSchema(member),
    run: async ({ db, store }) => json((await listTeam(db, store.id)).map(publicPerson)),
  }),
  post('/stores/{store}/team', {
    ...inStoreLately({ scope: teamScope }),
    operationId: 'invitePerson',
    summary: 'Invite a team member',
    body: invitation,
    refuses: [notFoundResponse, teamConflict],
    returns: doneSchema,
    makesRecord: false,
    run: async ({ tx, store, session, language, body, limiter, vault }) => {
      await sendInvitation(tx, { limiter, vault }, { store, session, language, ...body })
      return noAddress({ done: true })
    },
  }),
  act('/stores/{store}/team/{person}/resend', {
    ...inStoreLately({ scope: teamScope }),
    operationId: 'resendInvitation',
    summary: 'Resend an invitation',
    returns: doneSchema,
    run: async ({ tx, store, session, language, params, limiter, vault }) => {
      const id = readPathId(params, 'person')
      await resendInvitation(tx, { limiter, vault }, { id, store, session, language })
      return done
    },
  }),
  act('/stores/{store}/team/{person}', {
    ...inStoreLately({ roles: ['owner'] }),
    operationId: 'changeRole',
    summary: "Update a member's role",
    body: newRole,
    refuses: [notFoundResponse, teamConflict],
    returns: doneSchema,
    run: async ({ tx, store, session, params, body }) =>
      setRole(tx, store, session, { person: readPathId(params, 'person'), role: body.role }).then(() => done),
  }),
  del('/stores/{store}/team/{person}', {
    ...inStore(),
    operationId: 'removePerson',
    summary: 'Remove a member or withdraw an invitation',
    refuses: [notFoundResponse, teamConflict],
    returns: doneSchema,
    run: async ({ tx, store, session, params }) =>
      removePerson(tx, store, session, readPathId(params, 'person')).then(() => done),
  }),
  act('/stores/{store}/security', {
    ...inStoreLately({ roles: ['owner'] }),
    operationId: 'requireSecondFactor',
    summary: "Require two-factor authentication for a store's team",
    body: createBody({
      second_factor_required: flagField()
        .required()
        .describe('Whether team members must use two-factor authentication'),
    }),
    returns: doneSchema,
    run: async ({ tx, store, actor, body }) =>
      requireSecondFactor(tx, store.id, body.second_factor_required, actor).then(() => done),
  }),
]

function publicPerson({ user_id, invitation_id, role, ...person }: TeamMember) {
  const id = user_id ? publicId('usr', user_id) : invitation_id
  return { id, ...person, ...publicRole(role), is_invited: user_id === null }
}
