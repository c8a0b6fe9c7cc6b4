// The origin of an order or a checkout.
import type { Cause } from '../../kit/values/cause.ts'

export const channels = ['shop', 'api', 'dashboard', 'agent'] as const
type Channel = (typeof channels)[number]

/** `agent`: the name of the shopper's agent; null in any other channel. Both are null if it is not known. */
export type OrderSource = { channel: Channel | null; agent: string | null }

export function toOrderSource({ actor, agent }: Cause): OrderSource {
  if (agent !== undefined) return { channel: 'agent', agent }
  if (actor.kind === 'user') return { channel: 'dashboard', agent: null }
  return { channel: actor.kind === 'system' ? 'shop' : 'api', agent: null }
}
