// A member's notification settings and read state.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { notFound } from '../../kit/values/errors.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { findMembership, type UserSession } from '../../identity/accounts/session.ts'

/** The kinds that come in summaries. Mentions have emails of their own. */
export const mailable = ['order', 'dispute', 'low_stock'] as const
export type MailableKind = (typeof mailable)[number]

/** The maximum shown and counted. */
export const maxShown = 100

const keptMs = 90 * 24 * 3600_000

/**
 * `kinds`: null for all. `mailed_kinds`: null for mentions. Nothing from before `since` is shown: the day that the
 * member joined, or 90 days ago.
 */
export type Inbox = {
  user_id: string
  kinds: readonly string[] | null
  mailed_kinds: readonly string[] | null
  read_until: Date | null
  read_ids: readonly string[]
  since: Date
}

/** Comes with the session, so that a page needs no query for it. */
export function buildInbox(session: UserSession, storeId: string, now: Date): Inbox {
  const { joined_at, read_until, ...settings } = findMembership(session, storeId)!.notifications
  return {
    ...settings,
    user_id: session.user_id,
    read_until: read_until === null ? null : new Date(read_until),
    since: new Date(Math.max(new Date(joined_at).getTime(), now.getTime() - keptMs)),
  }
}

/** API keys are not members. */
function requireMemberId({ kind, id }: Actor): string {
  const userId = kind === 'user' && id !== null ? toUuid('usr', id) : null
  if (!userId) throw notFound('Member')
  return userId
}

type ChosenKinds = { kinds: readonly string[]; mailed_kinds: readonly string[] }

/** The first summary comes after a pause, about what happens from now on. */
export function changeKinds(tx: Tx, storeId: string, actor: Actor, { kinds, mailed_kinds }: ChosenKinds): void {
  const isMailed = mailable.some((kind) => mailed_kinds.includes(kind))
  const [since, due] = isMailed ? [tx.now, new Date(tx.now.getTime() + pauseMs)] : [null, null]
  tx.later(sql`
    insert into notification_settings as settings (store_id, user_id, kinds, mailed_kinds, mailed_until, mail_due_at)
    values (${storeId}, ${requireMemberId(actor)}, ${kinds}, ${mailed_kinds}, ${since}, ${due})
    on conflict (store_id, user_id) do update
    set kinds = excluded.kinds,
        mailed_kinds = excluded.mailed_kinds,
        mailed_until = case when excluded.mail_due_at is null then null
          else coalesce(settings.mailed_until, excluded.mailed_until) end,
        mail_due_at = case when excluded.mail_due_at is null then null
          else coalesce(settings.mail_due_at, excluded.mail_due_at) end`)
}

/** The minimum time between two summaries. */
export const pauseMs = 10 * 60_000

export function markAllRead(tx: Tx, storeId: string, actor: Actor): void {
  tx.later(sql`
    insert into notification_settings (store_id, user_id, read_until)
    values (${storeId}, ${requireMemberId(actor)}, ${tx.now})
    on conflict (store_id, user_id) do update set read_until = excluded.read_until, read_ids = '{}'`)
}

/** Keeps as many as are shown. */
export function markRead(tx: Tx, storeId: string, actor: Actor, id: string): void {
  tx.later(sql`
    insert into notification_settings as settings (store_id, user_id, read_ids)
    values (${storeId}, ${requireMemberId(actor)}, ${[id]})
    on conflict (store_id, user_id) do update
    set read_ids = (excluded.read_ids || array_remove(settings.read_ids, ${id}))[1:${maxShown}]`)
}
