import type { Tx } from '../../kit/database/database.ts'
import { insertAgentOrder } from '../../tenancy/events/agentorders.ts'
import type { Checkout } from '../../storefront/checkout/cart/view.ts'
import type { Visit } from './visit.ts'

/** Only for agents that sign: anyone may name a profile. */
export function followOrder(tx: Tx, { store, agent, origin, isSigned }: Visit, { id }: Pick<Checkout, 'id'>): void {
  if (!isSigned || agent.webhookUrl === null || !agent.active.has('dev.ucp.shopping.order')) return
  insertAgentOrder(tx, store.id, { checkoutId: id, profile: agent.profile, origin })
}
