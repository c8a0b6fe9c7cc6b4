import { collided, conflict } from '../../kit/values/errors.ts'
import { buildOutdatedError } from './errors.ts'
import { notFoundResponse, type ErrorResponse } from '../../kit/declare/errorresponse.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import { scopes } from '../../identity/apikeys/scopes.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  approveProposal,
  createProposal,
  draftProposal,
  findProposal,
  listProposals,
  readyProposal,
  refuseProposal,
} from './operations.ts'
import type { ProposalTools } from './perform.ts'
import { newProposal, proposal, refusal } from './proposal.ts'

const { get, post, act } = buildRouteVerbs<Store, ProposalTools>('Proposals')

const propose = scopes.filter((scope) => scope.startsWith('propose:'))
const write = scopes.filter((scope) => scope.startsWith('write:'))

const decisionRoute: ErrorResponse = {
  name: 'ProposalDecided',
  description: 'The proposal has already been decided, has expired or is out of date.',
  examples: {
    outdated: buildOutdatedError([
      { resource: 'products', id: '01912d68-783e-7a03-8467-5661c1243ad4', field: 'price' },
    ]),
    decided: conflict('The proposal has already been approved'),
    expired: conflict('The proposal has expired'),
    collided: collided(),
  },
}

export const routes = [
  get('/proposals', {
    scope: propose,
    query: proposal.query,
    returns: proposal.entity,
    list: true,
    summary: 'List proposals within your scopes',
    run: ({ db, query, ...caller }) => listProposals(db, caller, query),
  }),
  post('/proposals', {
    scope: propose,
    body: newProposal,
    returns: proposal.entity,
    refuses: [{ ...notFoundResponse, description: 'The record to change does not exist.' }],
    summary: 'Propose a write for approval',
    prepare: draftProposal,
    run: ({ tx, body, prepared, ...caller }) => createProposal(tx, caller, body, prepared),
  }),
  get('/proposals/{id}', {
    scope: propose,
    params: { id: proposal },
    returns: proposal.entity,
    summary: 'Get a proposal',
    run: async ({ db, params, ...caller }) => (await findProposal(db, caller, params.id)).json,
  }),
  act('/proposals/{id}/approve', {
    scope: write,
    params: { id: proposal },
    refuses: [decisionRoute],
    returns: proposal.entity,
    summary: 'Approve and execute a proposal',
    prepare: readyProposal,
    run: ({ tx, params, prepared, ...caller }) => approveProposal(tx, caller, params.id, prepared),
  }),
  act('/proposals/{id}/refuse', {
    scope: propose,
    params: { id: proposal },
    body: refusal,
    refuses: [decisionRoute],
    returns: proposal.entity,
    summary: 'Decline a proposal, or withdraw your own',
    run: ({ tx, params, body, ...caller }) => refuseProposal(tx, caller, params.id, body.reason ?? null),
  }),
]
