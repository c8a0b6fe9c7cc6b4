// What a fork has of its original. People, keys, sessions, webhooks, logs and queues stay behind.
import { moved } from '../../platform/postgres/storerows.ts'

// prettier-ignore
const leftBehind: Record<string, string> = {
  agent_orders:      'agents of the original',
  api_keys:          'keys of the original',
  attempts:          'log of webhooks',
  audit_chains:      'the fork has its own audit log',
  audit_log:         'the fork has its own audit log',
  audit_records:     'the fork has its own audit log',
  audit_seals:       'the fork has its own audit log',
  audit_unsealed:    'the fork has its own audit log',
  deliveries:        'log of webhooks',
  event_logs:        'the fork has its own event log',
  event_numbers:     'the fork has its own event log',
  events:            'the fork has its own event log',
  idempotency_keys:  'answers of keys',
  import_images:     'files with personal data',
  import_rows:       'files with personal data',
  imports:           'files with personal data',
  mail_refusals:     'hashes of addresses',
  mails:             'email to people',
  media_changes:     'what files the original removes',
  order_comments:    'what staff wrote about people',
  policy_uses:       'uses of keys',
  proposals:         'what keys proposed',
  roles:             'what staff may do',
  security_events:   'what staff and keys did',
  shopper_passkeys:  'how customers sign in',
  shopper_sessions:  'how customers sign in',
  unnumbered_events: 'the fork has its own event log',
  webhook_health:    'webhooks of the original',
  webhooks:          'webhooks of the original',
}

/** The tables whose rows of the store are copied. */
export const copiedTables: readonly string[] = moved.filter((table) => !Object.hasOwn(leftBehind, table))
