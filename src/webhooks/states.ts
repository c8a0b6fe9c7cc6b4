// The transitions of a webhook's state that its health asks for; a person's are in operations.ts.
import type { Tx } from '../kit/database/database.ts'
import { raw, sql, type Sql } from '../kit/database/sql.ts'
import type { State } from './health.ts'

/** Held deliveries are not touched: they wait while the webhook is paused or disabled, and go when it is active. */
// prettier-ignore
export function changeState(
  tx: Tx, { store_id, webhook_id }: { store_id: string; webhook_id: string }, state: State, reason: 'failing' | 'gone',
): void {
  const changes: Record<State, Sql> = {
    active:   sql`is_active = true, paused_at = null, disabled_at = null, disabled_reason = null`,
    paused:   sql`paused_at = ${tx.now}`,
    disabled: sql`is_active = false, paused_at = null, disabled_at = ${tx.now}, disabled_reason = ${reason}`,
  }
  tx.later(sql`
    update webhooks
    set ${changes[state]}, updated_at = ${tx.now}
    where store_id = ${store_id}
      and id = ${webhook_id}
      and ${raw(state === 'active' ? 'true' : 'is_active')}`)
  if (state !== 'disabled') {
    tx.later(sql`
      update webhook_health
      set probe_at = ${state === 'paused' ? new Date(tx.now.getTime() + probeEveryMs) : null}
      where store_id = ${store_id}
        and webhook_id = ${webhook_id}`)
  }
}

/** A paused webhook gets its oldest delivery tried this often. */
export const probeEveryMs = 60_000
