// Columns of copied rows that would reach the outside world, or open the original: replaced like personal data.
import { quoted } from '../../platform/postgres/databases.ts'
import type { Replacements } from '../../platform/postgres/copyrows.ts'
import { masksWith } from './masks.ts'

/** Payments of providers that move money become those of the built-in test provider. */
const harmless = `provider in ('manual', 'test', 'sandbox')`
const testProvider = `case when ${harmless} then provider else 'test' end`
const unlessReal = (column: string, instead = 'null') => `case when ${harmless} then ${column} else ${instead} end`

/** Column replacements for a fork; `salt` is new for each. */
export function replacementsWith(salt: string): Replacements {
  const masks = masksWith(salt)
  const neutral: Replacements = {
    // Its domain leads to the original.
    stores: { custom_domain: 'null', domain_verified: 'false', test_payments: 'true' },
    store_counters: { webhooks: '0', api_keys: '0', staff: '0' },
    payment_methods: { provider: testProvider, settings: unlessReal('settings', `'{}'`), secrets: 'null' },
    payment_sessions: {
      provider: testProvider,
      ...Object.fromEntries(['asked_id', 'asked_at', 'ask_at', 'look_at', 'recheck_at'].map((at) => [at, 'null'])),
      capturing_amount: '0',
      is_late: 'false',
    },
    payment_events: { provider: testProvider },
    // The links of shoppers open the original's checkouts only.
    checkouts: {
      token: 'null',
      token_hash: `sha256(convert_to(${quoted(salt)} || id::text, 'UTF8'))`,
      recovery_hash: 'null',
      recovery_mail: `case when recovery_mail = 'queued' then 'withheld' else recovery_mail end`,
    },
    draft_orders: { checkout_id: 'null', link_expires_at: 'null' },
  }
  const tables = new Set([...Object.keys(masks), ...Object.keys(neutral)])
  return Object.fromEntries([...tables].map((table) => [table, { ...masks[table], ...neutral[table] }]))
}
