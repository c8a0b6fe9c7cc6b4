// Reads a store's log. Events committed before the request are numbered before it is answered.
import type { Db, RowTexts } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { Json } from '../../kit/declare/resource.ts'
import { notFound } from '../../kit/values/errors.ts'
import { buildSequenceBounds, requireWithin } from '../../tenancy/events/bounds.ts'
import { getEventFeature, type EventType } from '../webhooks/events.ts'
import { hasFeature } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { event } from './event.ts'

export type LogPosition = { after?: number; types?: EventType[]; limit: number }

export type LogPage = { events: Json<object>[]; next_after: number; oldest: number; newest: number }

/** Numbers what is committed in a store. */
export type CatchUp = (storeId: string) => Promise<void>

/** Events scanned for one page when the query filters by type. */
const span = 2000

/** The events behind `after`, in the order of their numbers. */
export async function readPage(db: Db, store: Store, position: LogPosition, catchUp: CatchUp): Promise<LogPage> {
  let page = await readBatch(db, store, position)
  if (page.isBehind && page.events.length < position.limit) {
    await catchUp(store.id)
    page = await readBatch(db, store, position)
  }
  if (position.after !== undefined) requireWithin(position.after + 1, page, 'after', page.newest + 1)
  return page
}

async function readBatch(
  db: Db,
  store: Store,
  { after, types, limit }: LogPosition,
): Promise<LogPage & { isBehind: boolean }> {
  const start = sql`coalesce(${after ?? null}::bigint, bounds.oldest - 1)`
  const rows = await db.texts(sql`
    select bounds.oldest, bounds.newest, ${isBehind(store.id)}, found.*
    from (${buildSequenceBounds(store.id)}) as bounds
    left join lateral (
      select ${event.columns}
      from event_numbers
      join events on events.store_id = ${store.id} and events.id = event_numbers.event_uuid
      where event_numbers.store_id = ${store.id}
        and event_numbers.sequence > ${start}
        and event_numbers.sequence <= ${start} + ${types ? span : limit}
        and ${types ? sql`events.event = any(${types}::text[])` : sql`true`}
      order by event_numbers.sequence
      limit ${limit}) as found on true
    order by found.sequence`)
  const [oldest, newest] = rows[0]!.map(Number) as [number, number]
  const events = rows.map((row) => row.slice(3)).filter(([id]) => id !== null)
  const end = Math.min(newest, (after ?? oldest - 1) + (types ? span : limit))
  return {
    events: events.map((row) => event.serialise(visibleTo(store, row))),
    next_after: events.length === limit ? Number(events.at(-1)![sequenceAt]) : end,
    oldest,
    newest,
    isBehind: rows[0]![2] === 't',
  }
}

/** True if a committed event has no number yet. */
function isBehind(storeId: string): Sql {
  return sql`exists (select from unnumbered_events where store_id = ${storeId})`
}

/** One event of the log, or NOT_FOUND. */
export async function findEvent(
  db: Db,
  store: Store,
  id: string,
  catchUp: CatchUp,
): Promise<{ event: EventType; json: Json<object> }> {
  const read = () =>
    db.texts(sql`
    select ${event.columns}
    from events
    left join event_numbers on event_numbers.store_id = ${store.id} and event_numbers.event_uuid = events.id
    where events.store_id = ${store.id}
      and events.id = ${id}
      and events.webhook_id is null`)
  let [row] = await read()
  if (row && row[sequenceAt] === null) {
    await catchUp(store.id)
    ;[row] = await read()
  }
  if (!row) throw notFound(event.noun)
  return { event: row[eventAt] as EventType, json: event.serialise(visibleTo(store, row)) }
}

const [sequenceAt, eventAt, bodyAt] = ['sequence', 'event', 'body'].map((name) => event.names.indexOf(name)) as [
  number,
  number,
  number,
]

/** Leaves out events that the store's plan does not include; their numbers stay. */
function visibleTo(store: Store, row: RowTexts): RowTexts {
  return isVisible(store, row[eventAt] as EventType) ? row : row.with(bodyAt, null)
}

export function isVisible({ plan }: Store, type: EventType): boolean {
  const feature = getEventFeature(type)
  return feature === null || hasFeature(plan, feature)
}
