// What a distributed database would not do as the app asks today. A name is the verb and the tables of a statement.
import type { RuleName } from './rules.ts'

/** They work, and ask all servers, on purpose. */
export const fansOut: Record<string, string> = {
  // What waits or has ended is found in all stores, by one index, and then changed store by store.
  'select mails': 'the sender finds the stores that have email to send',
  'select payment_sessions': 'jobs find the stores that have payments to ask about',
  'select refunds': 'jobs find the stores that have refunds to ask about',
  'select checkouts': 'the sweep finds the drafts that are due',
  'select idempotency_keys': 'retention finds the oldest',
  'select proposals': 'retention finds the oldest',
  'select media': 'a job finds the images that an ended process left',
  'select media media_uses': 'retention finds the images that nobody uses',
  'select media_changes': 'retention finds the stores whose images were used or not',
  'select media_leftovers': 'a job finds the files to remove',
  'select event_logs': 'retention finds the stores that have old events',
  'select unsummed': 'the rollup finds the quarters that have changed',
  'select unsummed_days stores': 'the rollup finds the days that are over',
  'select webhook_health': 'a worker looks for the claims of one that has ended',
  'select webhook_health webhooks stores plans': 'a worker reads the receivers that it has claimed',
  'update webhook_health deliveries': 'the claims of a worker that has ended are given back',
  'delete checkouts': 'the sweep of the drafts of all stores',
  'delete idempotency_keys': 'retention, of all stores at once',
  'delete mails': 'retention, of all stores at once',
  'delete proposals': 'retention, of all stores at once',
  'delete unsummed': 'the rollup of the quarters of all stores',
  'update checkouts': 'the sweep of the drafts of all stores',
  'update deliveries': 'what a worker has delivered, for all stores at once',
}

/** Reads of several stores at the same moment, which share a statement (src/kit/database/pointreads.ts). */
export const gathered = 'as requested (store_id, id, position)'

/** They would be refused, by these rules. This list only shrinks. */
// prettier-ignore
export const refused: Record<string, RuleName[]> = {
  // The key of a request and its store.
  'select api_keys stores plans tax_zones store_counters store_versions': ['store', 'row by row'],
  'select stores plans tax_zones store_counters store_versions': ['store', 'row by row'],
  // A write answers its record: src/kit/declare.
  'insert discounts': ['returning'],
  'insert shipping_rates': ['returning'],
  'insert tax_zones': ['returning'],
  'insert webhooks webhook_health deliveries': ['returning'],
  'update discounts': ['returning'],
  'update shipping_rates': ['returning'],
  'update stores plans': ['returning'],
  'update tax_zones': ['returning'],
  'update webhooks webhook_health deliveries': ['returning'],
  // A free slug, and the next number of an order.
  'insert categories': ['subselect inserted'],
  'insert collections': ['subselect inserted'],
  'insert products variants': ['returning', 'subselect inserted'],
  'insert orders store_counters': ['subselect inserted'],
  'insert orders store_counters shipping_rates': ['subselect inserted'],
  // refuse() is volatile.
  'update store_counters': ['volatile update'],
  // Several writes of one request in one statement.
  'insert collection_products': ['insert from with'],
  'insert payment_events payment_sessions': ['insert from with'],
  'insert payment_events payment_sessions orders': ['insert from with'],
  // The offer of a store.
  'select stores tax_zones shipping_rates payment_methods order_bumps products variants':
    ['store', 'join', 'row by row'],
  // Numbers and seals.
  'select event_logs': ['lock'],
  'select unnumbered_events': ['store', 'row by row', 'recursion'],
  'select unnumbered_events event_numbers event_logs': ['store', 'insert from stores', 'row by row'],
  'select audit_unsealed audit_log audit_records': ['store', 'insert from stores', 'ctid'],
  // Deliveries.
  'insert attempts deliveries': ['store', 'insert from stores'],
  'select deliveries webhooks webhook_health': ['store', 'join', 'row by row', 'recursion'],
  'select webhook_health webhooks deliveries events event_numbers unnumbered_events': ['store', 'join', 'row by row'],
  'select webhook_health': ['store', 'lock'],
  'update deliveries webhook_health webhooks': ['store', 'join'],
  'update webhook_health webhooks': ['store', 'lock'],
  'update deliveries webhook_health': ['store', 'join', 'row by row', 'lock'],
  'update webhook_health webhooks deliveries': ['store', 'lock'],
  // Retention.
  'delete attempts': ['store', 'row by row', 'ctid'],
  'delete deliveries': ['store', 'row by row', 'recursion', 'ctid'],
  'delete events': ['store', 'row by row', 'ctid'],
  'select audit_chains audit_seals': ['store', 'row by row', 'lock'],
  'select deliveries webhooks': ['store', 'row by row', 'lock', 'recursion', 'ctid'],
  'select event_numbers events': ['store', 'row by row'],
  'update event_logs deliveries attempts events': ['store', 'row by row', 'lock', 'recursion'],
}
