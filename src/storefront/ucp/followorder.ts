import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { Checkout } from '../checkout/cart/view.ts'
import type { Visit } from './visit.ts'

/** Starts with the checkout, since the buyer may complete it. Only for agents that sign: anyone may name a profile. */
export function followOrder(tx: Tx, { store, agent, origin, isSigned }: Visit, { id }: Pick<Checkout, 'id'>): void {
  if (!isSigned || agent.webhookUrl === null || !agent.active.has('dev.ucp.shopping.order')) return
  tx.later(sql`
    insert into agent_orders (store_id, checkout_id, profile, origin, created_at)
    values (${store.id}, ${toUuid('chk', id)}, ${agent.profile}, ${origin}, ${tx.now})
    on conflict do nothing`)
}
