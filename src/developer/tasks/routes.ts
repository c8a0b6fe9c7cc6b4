import type { JsonSchema } from '../../kit/declare/field.ts'
import { maxCounted } from '../../kit/declare/resource.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { countTasks, tasks } from './tasks.ts'

const { get } = buildRouteVerbs<Store>('Tasks')

const taskCount: JsonSchema = {
  title: 'Task count',
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 0, maximum: maxCounted, description: 'Number of records', examples: [12] },
    has_more: { type: 'boolean', description: `Whether there are more than ${maxCounted} records` },
    list: {
      type: 'string',
      description: 'Path and query that list these records',
      examples: ['/v1/orders?needs_fulfillment=true&is_archived=false'],
    },
    next_due_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Nearest deadline; null if the records have none',
      examples: ['2026-11-30T12:00:00.000Z'],
    },
  },
  required: ['count', 'has_more', 'list', 'next_due_at'],
}

const taskCounts: JsonSchema = {
  title: 'Task counts',
  type: 'object',
  description: Object.entries(tasks)
    .map(([name, { description }]) => `${name}: ${description}.`)
    .join(' '),
  properties: Object.fromEntries(Object.keys(tasks).map((name) => [name, taskCount])),
}

export const routes = [
  get('/tasks', {
    scope: [...new Set(Object.values(tasks).map(({ scope }) => scope))],
    returns: taskCounts,
    operationId: 'countTasks',
    summary: 'Count what needs attention, as far as the scopes allow',
    run: async ({ db, store, scopes }) => json(await countTasks(db, store, scopes)),
  }),
]
