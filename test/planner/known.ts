// What a distributed database would not do as the app asks today. A name is the verb and the tables of a statement.
import type { RuleName } from './judge.ts'

/** They work, and ask all servers, on purpose. */
export const fansOut: Record<string, string> = {
  // What waits or has ended is found in all stores, by one index, and then changed store by store.
  'select mails': 'the sender finds the stores that have email to send',
  'select payment_sessions': 'jobs find the stores that have payments to ask about',
  'select refunds': 'jobs find the stores that have refunds to ask about',
  'select products stores': 'a job finds the products that are published or unpublished now, and the next time',
  'select agent_orders': 'the job finds the stores with orders to send, and the purge the oldest',
  'select listed_checkouts': 'the sweep finds the drafts that are due',
  'select idempotency_keys': 'retention finds the oldest',
  'select imports': 'retention finds the oldest, and the job those that are due',
  'select backinstock_requests products variants': 'a job finds the requests whose items are in stock again',
  'select backinstock_requests': 'retention finds the oldest',
  'select downloads_grants': 'a job finds the buyers to email',
  'select downloads_leftovers': 'a job finds the files to remove',
  'select proposals': 'retention finds the oldest',
  'select audit_chains': 'retention finds the stores that have old seals',
  'select unnumbered_events': 'a job finds the stores whose events have no numbers yet',
  'select audit_unsealed': 'a job finds the entries to seal',
  'select audit_log': 'a job reads the entries to seal',
  'select deliveries': 'a worker finds the receivers that have something pending',
  'select webhooks webhook_health deliveries': 'a worker finds out which of them it can claim',
  'select webhooks': 'retention finds the receivers that are gone',
  'select media': 'a job finds the images that an ended process left',
  'select media media_uses': 'retention finds the images that nobody uses',
  'select media_changes': 'retention finds the stores whose images were used or not',
  'select media_leftovers': 'a job finds the files to remove',
  'select event_logs': 'retention finds the stores that have old events',
  'select unsummed': 'the rollup finds the quarters that have changed',
  'select unsummed_days stores': 'the rollup finds the days that are over',
  'select unsummed_categories': 'the rollup finds the stores whose products are in another category',
  'select webhook_health': 'a worker looks for the claims of one that has ended',
  'select webhook_health webhooks stores plans': 'a worker reads the receivers that it has claimed',
  'delete checkouts': 'the sweep of the drafts of all stores',
  'delete audit_unsealed': 'what is sealed, of all stores at once',
  'delete attempts': 'retention, of all stores at once',
  'delete deliveries': 'retention, of all stores at once',
  'delete event_numbers': 'retention, of all stores at once',
  'delete events': 'retention, of all stores at once',
  'delete idempotency_keys': 'retention, of all stores at once',
  'delete mails': 'retention, of all stores at once',
  'delete imports': 'retention, of all stores at once',
  'delete proposals': 'retention, of all stores at once',
  'delete unsummed': 'the rollup of the quarters of all stores',
  'select shopper_sign_ins': 'retention finds the oldest',
  'select shopper_sessions': 'retention finds the oldest',
  'delete shopper_sign_ins': 'retention, of all stores at once',
  'delete shopper_sessions': 'retention, of all stores at once',
  'update checkouts': 'the sweep of the drafts of all stores',
  'select webhooks webhook_health deliveries events event_numbers unnumbered_events':
    'a worker reads what receivers of several stores get next',
  'update webhook_health deliveries': 'a worker gives its claims back',
  'update webhook_health webhooks deliveries': 'a worker claims receivers of several stores',
}

/** Reads of several stores at the same moment, which share a statement (src/kit/database/pointreads.ts). */
export const gathered = 'as requested (store_id, id, position)'

/** They would be refused, by these rules. This list only shrinks. */
export const refused: Record<string, RuleName[]> = {}

// What a store is read with beside its plan.
const settings = 'tax_zones categories products variants shipping_rates custom_fields'

/** They would be refused, and are sent on one server only: a distributed database gets another form. */
export const onOneServer: Record<string, RuleName[]> = {
  // One statement takes the number of an order and inserts it: two elsewhere.
  'insert orders store_counters': ['subselect inserted', 'write in with'],
  'insert orders store_counters shipping_rates': ['subselect inserted', 'write in with'],
  // A key is read with its store: one after the other elsewhere.
  [`select api_keys stores plans ${settings} store_counters store_versions`]: ['row by row'],
  // One statement writes events and their deliveries, and takes their numbers.
  'select events webhooks webhook_health deliveries event_logs unnumbered_events event_numbers': ['write in with'],
}
