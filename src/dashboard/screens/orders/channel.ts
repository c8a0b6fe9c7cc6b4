// The channel of an order as text.
import type { OrderSource } from '../../../commerce/orders/source.ts'
import type { PageContext } from '../../framework/screen.ts'

export function channelText(t: PageContext['t'], { channel, agent }: OrderSource): string | null {
  return agent ? t('channel_agent_named', { agent }) : channel && t(`channel_${channel}`)
}

/** Parses the key of a row of the channel report: the channel, and the agent behind it. */
export function sourceOfKey(key: string): OrderSource {
  const [channel, agent] = key.split(/ (.*)/s)
  return { channel: (channel || null) as OrderSource['channel'], agent: agent || null }
}
