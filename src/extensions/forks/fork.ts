// A fork: a copy of a store for experiments, with its own database, key and clock.
import { derive } from '../../kit/declare/field.ts'
import { withOneTimeValues } from '../../kit/declare/onetime.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { choice, id, text, time } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { baseUrl, sql } from '../../kit/database/sql.ts'

const statuses = ['creating', 'ready', 'failed'] as const

/** The path of a fork's API and shop, below the URL of the service. */
export const forksPath = '/forks'

// prettier-ignore
export const fork = resource('forks', {
  id:         id('fork').readonly(),
  name:       text({ min: 1, max: 120 }).nullable().example('Checkout tests'),
  status:     choice(statuses).readonly().describe('ready: the copy can be used'),
  error:      text({ max: 500 }).nullable().readonly().describe('Why the copy could not be made'),
  url:        derive(text({ max: 2048 }), sql`${baseUrl}::text || '/forks/' || forks.id`)
    .example('https://shop.example/forks/0197b1c2-7d3e-7a4b-8c5d-6e7f80910213')
    .describe('Base URL of the fork: /v1, /storefront and the shop are below it'),
  key_last4:  text({ max: 8 }).readonly().example('9f3c').describe('Last characters of its API key'),
  ready_at:   time().nullable().readonly().describe('When the copy was complete'),
  expires_at: time().readonly().describe('When the fork is deleted'),
  created_at: time().readonly().sortable(),
  updated_at: time().readonly(),
}, {
  status: filter(choice([...statuses, 'all']).default('all'), (status) =>
    (status === 'all' ? null : sql`forks.status = ${status}`)),
}, { noun: 'Fork' })

export const newFork = createBody({ name: fork.fields.name })

/** The record of a create answer: the only one that shows the key. */
export const forkWithKey = withOneTimeValues(fork.entity, 'Fork with key', {
  key: { type: 'string', description: 'API key of the fork, with the scopes of its creator; returned only once' },
})

export const keptDays = 7
export const maxPerStore = 5
/** Each is a database of its own. */
export const maxPerInstallation = 20
