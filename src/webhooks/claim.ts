// Takes what is due from the queue: a loose index scan over the receivers that wait, a few rows of each. What is
// claimed is the receiver: one process at a time delivers to it, so that its limit holds for all.
import type { Database } from '../kit/database/database.ts'
import { records, sql, type Sql } from '../kit/database/sql.ts'
import type { EventType } from '../events/emit.ts'
import { probeEveryMs } from './states.ts'

/** One delivery that is due. */
export type Claimed = {
  id: string
  webhook_id: string
  event: EventType
  trigger: 'event' | 'manual' | 'recovery' | 'test'
  attempts: number
  tries: number
  urgent: boolean
  /** Of workers that may have had it, since an attempt was last written down. */
  crashes: number
  body: string | null
}

/** Where it goes, which is this process's until `claimed_until` unless it claims again. */
export type Receiver = {
  store_id: string
  webhook_id: string
  url: string
  secret: string
  previous_secret: string | null
  is_paused: boolean
  /** What its store's plan has now. */
  features: string[]
  /** Which claim this is. */
  claim: number
  claimed_until: Date
}

export type Claim = {
  receivers: Receiver[]
  rows: Claimed[]
  /** Behind which receiver there may be more; null when the end was reached. */
  next: string | null
}

const leaseMs = 60_000
// With less than this left, a claim begins anew.
const renewMs = 40_000
/** That one claim looks at. */
export const maximumReceivers = 256
const mutex = 1_937_010_531

/** Of a receiver this process has so many rows, and may have so many. */
export type Held = {
  webhook_id: string
  has: number
  room: number
  /** It will not be given back while this claim is under way: then its row need not be locked, unless it is due. */
  is_kept: boolean
}

/**
 * At most `slots` rows of the receivers behind `cursor`: the urgent ones of each first, then the oldest. A paused
 * receiver gets one at a time, a new one each minute; a disabled one only what is urgent. All claims take turns.
 */
export async function claim(
  db: Database,
  {
    me,
    slots,
    cursor,
    only,
    held,
    known,
    room,
  }: {
    me: number
    slots: number
    cursor: string | null
    /** Whom to look at; null for all that wait. */
    only: readonly string[] | null
    held: readonly Held[]
    /** Rows that this process has, or has sent and not yet written down. */
    known: readonly string[]
    room: number
  },
): Promise<Claim> {
  const now = db.clock.now()
  const later = (ms: number) => new Date(now.getTime() + ms)
  const due = (isUrgent: Sql) => sql`
            select * from (
              select ctid as place, id, event_uuid, event, trigger, attempts, tries, urgent, crashes, created_at
              from deliveries
              where webhook_id = receivers.webhook_id
                and status = 'pending'
                and ${isUrgent}
                and run_at <= ${now}
                and id not in (select unnest(${known}::uuid[]))
              order by run_at
              limit greatest(receivers.room, 0))`
  let answer!: Promise<(Claimed & { about: About | null })[]>
  await db.transaction(async (tx) => {
    tx.later(sql`select pg_advisory_xact_lock(${mutex})`)
    answer = tx.rows(sql`
      with recursive ${only ? hinted(only) : waitingBehind(cursor, maximumReceivers)}, receivers as (
        select webhooks.store_id, webhooks.id as webhook_id, webhooks.url, webhooks.secret,
          case when webhooks.previous_secret_until > ${now} then webhooks.previous_secret end as previous_secret,
          webhooks.paused_at is not null as is_paused,
          webhooks.is_active
            and (webhooks.paused_at is null or health.probe_at is null or health.probe_at <= ${now}) as takes_new,
          case when webhooks.paused_at is null then coalesce(held.room, ${room}) else 1 end
            - coalesce(held.has, 0) as room,
          health.claimed_by <> ${me} as is_lost,
          held.is_kept and health.claimed_by = ${me} and health.claimed_until > ${later(renewMs)}
            and webhooks.paused_at is null as is_kept,
          health.claim, health.claimed_until, plans.features
        from waiting
        join webhooks on webhooks.id = waiting.webhook_id
        join stores on stores.id = webhooks.store_id
        join plans on plans.id = stores.plan_id
        join webhook_health as health on health.store_id = webhooks.store_id and health.webhook_id = webhooks.id
        left join ${records('held', heldColumns, held)}
          on held.webhook_id = webhooks.id
        where health.claimed_by is null
          or health.claimed_by = ${me}
          or health.claimed_until <= ${now}
        order by waiting.position
      ), chosen as (
        select store_id, webhook_id, is_paused, is_lost, is_kept, due.*
        from receivers
        cross join lateral (${due(sql`urgent`)} as urgent
          union all ${due(sql`not urgent and receivers.takes_new`)} as new
          limit greatest(receivers.room, 0)) as due
        limit ${slots}
      ), locked as (
        -- In the order in which finished attempts lock them.
        select health.store_id, health.webhook_id, taken.is_probed
        from (
          select store_id, webhook_id, bool_or(is_paused and not urgent) as is_probed
          from chosen
          where is_kept is not true
          group by store_id, webhook_id
        ) as taken
        join webhook_health as health on health.store_id = taken.store_id and health.webhook_id = taken.webhook_id
        order by health.webhook_id
        for update of health
      ), owned as (
        update webhook_health
        set claimed_by = ${me}, claimed_until = ${later(leaseMs)}, claim = claim + 1,
          probe_at = case when locked.is_probed then ${later(probeEveryMs)} else probe_at end
        from locked
        where webhook_health.store_id = locked.store_id
          and webhook_health.webhook_id = locked.webhook_id
      ), lost as (
        update deliveries
        set crashes = deliveries.crashes + 1
        from chosen
        where chosen.is_lost
          and deliveries.ctid = chosen.place
      )
      select chosen.id, chosen.webhook_id, chosen.event, chosen.trigger, chosen.attempts, chosen.tries, chosen.urgent,
        chosen.crashes + coalesce(chosen.is_lost, false)::int as crashes, events.body,
        case when row_number() over () = 1 then json_build_object(
          'last', (select webhook_id from waiting order by position desc limit 1),
          'visited', (select count(*) from waiting),
          'receivers', (
            select json_agg(json_build_object(
              'store_id', store_id, 'webhook_id', webhook_id, 'url', url, 'secret', secret,
              'previous_secret', previous_secret, 'is_paused', is_paused, 'features', features,
              'claim', case when is_kept then claim else claim + 1 end,
              'claimed_until', case when is_kept then claimed_until else ${later(leaseMs)} end))
            from receivers
            where webhook_id in (select webhook_id from chosen))) end as about
      from (values (true)) as always (is_so)
      left join chosen on true
      left join events on events.store_id = chosen.store_id and events.id = chosen.event_uuid
      order by chosen.urgent desc, chosen.created_at`)
  })
  const answered = await answer
  const { last, visited, receivers } = answered.find(({ about }) => about !== null)!.about!
  const rows = answered.filter(({ id }) => id !== null)
  return {
    rows,
    receivers: receivers?.map((own) => ({ ...own, claimed_until: new Date(own.claimed_until) })) ?? [],
    // After a claim that took all it may, the next one begins behind the last receiver that got something.
    next: rows.length >= slots ? furthest(rows) : visited === maximumReceivers ? last : null,
  }
}

const heldColumns = { webhook_id: 'uuid', has: 'int', room: 'int', is_kept: 'boolean' }

/** With one of the rows, and without any. */
type About = { last: string | null; visited: number; receivers: Receiver[] | null }

function hinted(webhookIds: readonly string[]): Sql {
  return sql`waiting as (
        select webhook_id, position
        from unnest(${webhookIds}::uuid[]) with ordinality as hinted (webhook_id, position)
      )`
}

/**
 * `waiting (webhook_id, position)` for a recursive with: the receivers behind `cursor` that have something pending, by
 * one step of the index deliveries_due each; `most` of them, or all.
 */
export function waitingBehind(cursor: string | null, most: number | null = null): Sql {
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
        where ${most === null ? sql`true` : sql`waiting.position < ${most}`}
      )`
}

function furthest(rows: Claimed[]): string {
  return rows
    .map(({ webhook_id }) => webhook_id)
    .sort()
    .at(-1)!
}
