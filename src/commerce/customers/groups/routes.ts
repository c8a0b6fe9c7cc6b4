import { buildCrudRoutes } from '../../../kit/declare/crud.ts'
import { countSchema, deleted, deletedSchema, json, buildRouteVerbs } from '../../../kit/declare/route.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { customer } from '../customer.ts'
import { customerGroup, rulesBody } from './group.ts'
import { addedSchema, addMembers, countMatches, listMembers, memberAddition, removeMember } from './members.ts'
import { createGroup, deleteGroup, updateGroup } from './operations.ts'

const [read, write] = ['read:customers', 'write:customers'] as const

const groups = buildCrudRoutes<Store>('Customer groups')(customerGroup, { path: '/customer-groups', read, write })
const { get, act, del } = buildRouteVerbs<Store>('Customer groups')

export const routes = [
  groups.list(),
  groups.create(({ tx, store, body }) => createGroup(tx, store, body)),
  act('/customer-groups/preview', {
    scope: read,
    body: rulesBody,
    returns: countSchema,
    summary: 'Count the customers whom rules match',
    run: async ({ tx, store, body }) => json({ count: await countMatches(tx, store, body) }),
  }),
  groups.get(),
  groups.update(({ tx, store, params, body }) => updateGroup(tx, store, params.id, body)),
  groups.remove(({ tx, store, params }) => deleteGroup(tx, store, params.id), {
    summary: 'Delete a customer group (customers are kept)',
  }),
  get('/customer-groups/{id}/members', {
    scope: read,
    params: { id: customerGroup },
    query: customer.query,
    returns: customer.entity,
    list: true,
    summary: "List a group's customers",
    run: ({ db, store, params, query }) => listMembers(db, store, params.id, query),
  }),
  act('/customer-groups/{id}/members', {
    scope: write,
    params: { id: customerGroup },
    body: memberAddition,
    returns: addedSchema,
    summary: 'Add customers to a group by hand',
    run: ({ tx, store, params, body }) => addMembers(tx, store, params.id, body),
  }),
  del('/customer-groups/{id}/members/{customer_id}', {
    scope: write,
    params: { id: customerGroup, customer_id: customer },
    returns: deletedSchema,
    summary: 'Remove a customer who was added by hand',
    run: ({ tx, store, params }) => removeMember(tx, store, params.id, params.customer_id).then(() => deleted),
  }),
]
