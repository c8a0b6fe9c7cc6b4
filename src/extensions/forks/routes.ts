import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import type { ErrorResponse } from '../../kit/declare/errorresponse.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { conflict } from '../../kit/values/errors.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { readOutbox } from '../../platform/outbound/mail.ts'
import { missingFeature } from '../../tenancy/plans/errors.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { ForkDeps } from './deps.ts'
import { fork, forkWithKey, newFork } from './fork.ts'
import { createFork, deleteFork } from './operations.ts'
import {
  clockMove,
  clockMoved,
  clockState,
  moveClock,
  buildMovingConflict,
  readClock,
  type TestClock,
} from './testclock.ts'

type Tools = ForkDeps & { vault: Vault }

const [read, write] = ['read:store', 'write:store'] as const

const forks = buildCrudRoutes<Store, Tools>('Forks')(fork, { path: '/forks', read, write })
const { get, act } = buildRouteVerbs<Store, Tools>('Forks')

const full: ErrorResponse = {
  name: 'ForkLimit',
  description: 'The store has no room for another fork, or is a fork.',
  examples: { full: conflict('This store has 5 forks, the maximum. Delete one first') },
}

const movingResponse: ErrorResponse = {
  name: 'ClockConflict',
  description: 'The clock is being moved already.',
  examples: { moving: buildMovingConflict() },
}

const keptEmails = {
  type: 'object',
  properties: {
    emails: {
      type: 'array',
      description: 'Newest first, at most 50',
      items: {
        type: 'object',
        properties: {
          to: { type: 'string', description: 'Recipient', examples: ['customer-1@example.com'] },
          subject: { type: 'string', description: 'Subject', examples: ['Your order #1001'] },
          text: { type: 'string', description: 'Body as plain text, with its links' },
          created_at: {
            type: 'string',
            format: 'date-time',
            description: 'When it was sent, by the clock of the fork',
          },
        },
        required: ['to', 'subject', 'text', 'created_at'],
      },
    },
  },
  required: ['emails'],
}

export const routes = [
  forks.list(),
  forks.create(({ tx, body, ...caller }) => createFork(tx, caller, body), {
    body: newFork,
    returns: forkWithKey,
    isConfidential: true,
    refuses: [full],
    summary: 'Fork a store: copy it for experiments',
  }),
  forks.get(),
  forks.remove(({ tx, store, params, forks }) => deleteFork(tx, store, params.id, { forks })),
]

const notAFork = () =>
  missingFeature('forks', 'Only forks have a test clock and a test outbox. Create a fork with POST /v1/forks')

const forksOnly: ErrorResponse = {
  name: 'ForksOnly',
  description: 'The store is not a fork.',
  examples: { not_a_fork: notAFork() },
}

function requireTestClock({ clock }: ForkDeps['forks']): TestClock {
  if (!clock) throw notAFork()
  return clock
}

/** Other stores have these routes too, and refuse them with a message. */
export const testRoutes = [
  get('/test/clock', {
    scope: read,
    returns: clockState,
    refuses: [forksOnly],
    summary: 'Get the time of a fork (forks only)',
    operationId: 'getTestClock',
    run: ({ db, forks }) => requireTestClock(forks) && readClock(db),
  }),
  act('/test/clock', {
    scope: write,
    body: clockMove,
    returns: clockMoved,
    refuses: [forksOnly, movingResponse],
    summary: 'Move the clock of a fork forward (forks only)',
    operationId: 'moveTestClock',
    run: ({ tx, body, forks }) => moveClock(tx, body, requireTestClock(forks)),
  }),
  get('/test/outbox', {
    scope: 'read:orders',
    returns: keptEmails,
    refuses: [forksOnly],
    isConfidential: true,
    summary: 'List the newest emails that a fork kept (forks only)',
    operationId: 'getTestOutbox',
    run: async ({ db, vault, forks }) => requireTestClock(forks) && json({ emails: await readOutbox(db, vault) }),
  }),
]
