import type { Db } from '../../kit/database/database.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { buildRouteVerbs, type Actor } from '../../kit/declare/route.ts'
import { missingFeature } from '../../tenancy/plans/errors.ts'
import { purgedRefusal } from '../../tenancy/events/bounds.ts'
import { eventTypes, getEventFeature } from '../webhooks/events.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { readableEvents, requireLog, requireReadable } from '../webhooks/access.ts'
import { event, eventSchema, feedQuery, maxWaitSeconds, logSchema } from './event.ts'
import { findEvent, isVisible, readPage, type CatchUp, type LogPage, type LogPosition } from './read.ts'
import type { Waits } from './waits.ts'

export type FeedDeps = { feed: { catchUp: CatchUp; waits: Waits } }

const { get } = buildRouteVerbs<Store, FeedDeps>('Events')

// An app's token also needs the scopes of the data in these bodies: webhooks/access.ts.
const scope = 'read:webhooks'

export const routes = [
  get('/events', {
    scope,
    query: feedQuery,
    returns: eventSchema,
    list: true,
    beside: { log: logSchema },
    waitSeconds: maxWaitSeconds,
    refuses: [purgedRefusal],
    summary: 'List events',
    run: async ({ db, store, actor, scopes, query: request, feed, signal }) => {
      const query = { ...request, ...readableTypes({ actor, scopes }, request) }
      requireFeatures(store, request)
      const page = query.wait > 0 ? await awaitPage(db, { store, actor, query, feed, signal }) : null
      return inJson(page ?? (await readPage(db, store, query, feed.catchUp)))
    },
  }),
  get('/events/{id}', {
    scope,
    params: { id: event },
    returns: eventSchema,
    summary: 'Get an event',
    async run({ db, store, params, feed, ...caller }) {
      requireLog(caller)
      const event = await findEvent(db, store, params.id, feed.catchUp)
      requireReadable(caller, [event.event])
      return event.json
    },
  }),
]

/** The requested types, which the caller must be able to read. Defaults to all readable types. */
function readableTypes(caller: { actor: Actor; scopes: ReadonlySet<string> }, { types }: LogPosition) {
  requireLog(caller)
  if (types) requireReadable(caller, types)
  const readable = readableEvents(caller)
  return types || readable.length === eventTypes.length ? {} : { types: [...readable] }
}

/** Types outside the plan are refused, as for webhooks. */
function requireFeatures(store: Store, { types = [] }: LogPosition): void {
  const hiddenType = types.find((type) => !isVisible(store, type))
  if (hiddenType) throw missingFeature(getEventFeature(hiddenType)!)
}

type LogWait = FeedDeps & { store: Store; actor: Actor; query: LogPosition & { wait: number }; signal: AbortSignal }

/** The first page with an event, or an empty one when the time is over, the client has gone or the server ends. */
async function awaitPage(db: Db, { store, actor, query, feed, signal }: LogWait): Promise<LogPage> {
  const endsAt = performance.now() + query.wait * 1000
  // Subscribes before the first read, so that no later event is missed.
  const wait = feed.waits.enter(store.id, `${actor.kind}:${actor.id}`)
  try {
    for (let { after } = query; ;) {
      const page = await readPage(db, store, { ...query, ...(after === undefined ? {} : { after }) }, feed.catchUp)
      const remainingMs = endsAt - performance.now()
      const isEnd = page.next_after >= page.newest
      if (page.events.length > 0 || !isEnd || remainingMs <= 0 || signal.aborted || wait.isOver) return page
      wait.seen(page.newest)
      after = page.next_after
      await wait.next(remainingMs, signal)
    }
  } finally {
    wait.leave()
  }
}

function inJson({ events, next_after, oldest, newest }: LogPage): Json<any> {
  return `{"data":[${events.join(',')}],"log":${JSON.stringify({ next_after, oldest, newest })}}`
}
