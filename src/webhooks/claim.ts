// Takes what is due from the queue: a loose index scan over the receivers that wait, a few rows of each. All claims
// take turns, so that a receiver belongs to one process while any of its rows is claimed: its limit holds for all.
import type { Database } from '../kit/database.ts'
import { join, sql, type Sql } from '../kit/sql.ts'
import type { EventType } from '../events/emit.ts'
import { probeEveryMs } from './states.ts'
import { featureOfEvent } from './webhook.ts'

export type Claimed = {
  store_id: string
  id: string
  webhook_id: string
  event: EventType
  trigger: 'event' | 'manual' | 'recovery' | 'test'
  attempts: number
  tries: number
  urgent: boolean
  /** Claims since an attempt was last written down, this one included. */
  claims: number
  url: string
  secret: string
  previous_secret: string | null
  is_paused: boolean
  /** Whether the store's plan has what the event needs, now. */
  is_allowed: boolean
  body: string | null
  /** Until then nobody else takes it. */
  run_at: Date
  created_at: Date
}

export type Claim = {
  rows: Claimed[]
  /** Behind which receiver there may be more; null when the end was reached. */
  next: string | null
}

export const leaseMs = 60_000
/** That one claim looks at. */
export const maximumReceivers = 256
const mutex = 1_937_010_531

/**
 * At most `slots` rows of the receivers behind `cursor`: the urgent ones of each first, then the oldest. A paused
 * receiver gets one at a time, a new one each minute; a disabled one only what is urgent.
 */
export async function claim(db: Database, { me, slots, cursor, only, held, room }: {
  me: number
  slots: number
  cursor: string | null
  /** Whom to look at; null for all that wait. */
  only: readonly string[] | null
  /** Receivers of which this process has rows: how many, and how many it may have. */
  held: readonly { webhook_id: string; has: number; room: number }[]
  room: number
}): Promise<Claim> {
  const now = db.clock.now()
  const later = (ms: number) => new Date(now.getTime() + ms)
  let answer!: Promise<(Claimed & { last: string | null; visited: number })[]>
  await db.transaction(async (tx) => {
    tx.later(sql`select pg_advisory_xact_lock(${mutex})`)
    answer = tx.rows(sql`
      with recursive ${only ? hinted(only) : allBehind(cursor)}, receivers as (
        select webhooks.store_id, webhooks.id, webhooks.url, webhooks.secret,
          case when webhooks.previous_secret_until > ${now} then webhooks.previous_secret end as previous_secret,
          webhooks.paused_at is not null as is_paused,
          webhooks.is_active
            and (webhooks.paused_at is null or health.probe_at is null or health.probe_at <= ${now}) as takes_new,
          case when webhooks.paused_at is null then coalesce(held.room, ${room}) else 1 end
            - coalesce(held.has, 0) as room
        from waiting
        join webhooks on webhooks.id = waiting.webhook_id
        left join webhook_health as health on health.store_id = webhooks.store_id and health.webhook_id = webhooks.id
        left join json_to_recordset(${JSON.stringify(held)}::json) as held (webhook_id uuid, has int, room int)
          on held.webhook_id = webhooks.id
        where not exists (
          select from deliveries
          where deliveries.webhook_id = webhooks.id
            and deliveries.claimed_by <> ${me}
            and deliveries.run_at > ${now})
        order by waiting.position
      ), chosen as (
        select receivers.*, due.place, due.urgent
        from receivers
        cross join lateral (
          select * from (
            select ctid as place, urgent
            from deliveries
            where webhook_id = receivers.id
              and status = 'pending'
              and urgent
              and run_at <= ${now}
            order by run_at
            limit greatest(receivers.room, 0)
            for update skip locked) as urgent
          union all
          select * from (
            select ctid as place, urgent
            from deliveries
            where webhook_id = receivers.id
              and receivers.takes_new
              and status = 'pending'
              and not urgent
              and run_at <= ${now}
            order by run_at
            limit greatest(receivers.room, 0)
            for update skip locked) as new
          limit greatest(receivers.room, 0)) as due
        limit ${slots}
      ), probed as (
        update webhook_health
        set probe_at = ${later(probeEveryMs)}
        from chosen
        where chosen.is_paused
          and not chosen.urgent
          and webhook_health.store_id = chosen.store_id
          and webhook_health.webhook_id = chosen.id
      ), claimed as (
        update deliveries
        set run_at = ${later(leaseMs)}, claimed_by = ${me}, claims = claims + 1
        from chosen
        where deliveries.ctid = chosen.place
        returning deliveries.store_id, deliveries.id, deliveries.webhook_id, deliveries.event, deliveries.trigger,
          deliveries.attempts, deliveries.tries, deliveries.urgent, deliveries.claims, deliveries.run_at,
          deliveries.created_at, deliveries.event_uuid, chosen.url, chosen.secret, chosen.previous_secret,
          chosen.is_paused
      )
      select claimed.*, ${isAllowed} as is_allowed, events.body, visited.last, visited.visited
      from (
        select (select webhook_id from waiting order by position desc limit 1) as last,
          (select count(*) from waiting) as visited
      ) as visited
      left join claimed on true
      left join stores on stores.id = claimed.store_id
      left join plans on plans.id = stores.plan_id
      left join events on events.store_id = claimed.store_id and events.id = claimed.event_uuid
      order by claimed.urgent desc, claimed.created_at`)
  })
  const rows = await answer
  const { last, visited } = rows[0]!
  const isFull = rows.length >= slots
  return {
    rows: rows.filter(({ id }) => id !== null),
    // After a claim that took all it may, the next one begins behind the last receiver that got something.
    next: isFull ? furthest(rows) : visited === maximumReceivers ? last : null,
  }
}

function hinted(webhookIds: readonly string[]): Sql {
  return sql`waiting as (
        select webhook_id, position
        from unnest(${webhookIds}::uuid[]) with ordinality as hinted (webhook_id, position)
      )`
}

function allBehind(cursor: string | null): Sql {
  return sql`waiting as (
        (select webhook_id, 1 as position
         from deliveries
         where status = 'pending'
           and webhook_id > ${cursor ?? '00000000-0000-0000-0000-000000000000'}
         order by webhook_id
         limit 1)
        union all
        select next.webhook_id, waiting.position + 1
        from waiting
        cross join lateral (
          select webhook_id
          from deliveries
          where status = 'pending'
            and webhook_id > waiting.webhook_id
          order by webhook_id
          limit 1) as next
        where waiting.position < ${maximumReceivers}
      )`
}

const isAllowed: Sql = sql`(case claimed.event ${cases()} else true end)`

function cases(): Sql {
  return join(Object.entries(featureOfEvent).map(([event, feature]) =>
    sql`when ${event} then ${feature} = any(plans.features)`), ' ')
}

function furthest(rows: Claimed[]): string {
  return rows.map(({ webhook_id }) => webhook_id).sort().at(-1)!
}
