// Where an order comes from, in words.
import type { Source } from '../../../commerce/orders/source.ts'
import type { PageContext } from '../../framework/screen.ts'

export function channelText(t: PageContext['t'], { channel, agent }: Source): string | null {
  return agent ? t('channel_agent_named', { agent }) : channel && t(`channel_${channel}`)
}

/** The key of a row of the report of channels: the channel, and the agent behind it. */
export function sourceOfKey(key: string): Source {
  const [channel, agent] = key.split(/ (.*)/s)
  return { channel: (channel || null) as Source['channel'], agent: agent || null }
}
