// Where each table's rows are once the database is distributed over several servers (Citus): one table, which a new
// table must join.

/**
 * - `distributed`: each row is on the server of its store; the rows of a store are together.
 * - `reference`: every server has all rows. It is read beside any store's, and written seldom.
 * - `local`: on the server that the processes connect to. It is found by a hash, an email address or a domain, before
 *   the store is known, or belongs to no store.
 */
export type Place = 'distributed' | 'reference' | 'local'

const tables: Record<Place, string[]> = {
  reference: ['plans', 'stores'],
  // prettier-ignore
  local: [
    // who signs in, and with what
    'account_links', 'answered_challenges', 'api_keys', 'app_policies', 'forks', 'invitations', 'members',
    'notification_settings', 'oauth_clients', 'oauth_grants', 'oauth_interactions', 'oauth_software', 'oauth_tokens',
    'passkeys', 'recovery_codes', 'roles', 'saved_views', 'security_events', 'sessions', 'sign_in_addresses',
    'totp_factors', 'users',
    // what is found by its name over all stores, or is of the whole service
    'canary', 'job_runs', 'migrations', 'outbox', 'signing_keys', 'store_slugs', 'write_probes',
  ],
  // prettier-ignore
  distributed: [
    'agent_orders', 'attempts', 'audit_chains', 'audit_log', 'audit_records', 'audit_seals', 'audit_unsealed',
    'categories',
    'category_slugs', 'checkouts', 'collection_products', 'collection_slugs', 'collections', 'customer_groups',
    'customers', 'deliveries',
    'discount_uses', 'discounts', 'disputes', 'draft_orders', 'event_logs', 'event_numbers', 'events',
    'fulfillment_items', 'fulfillments', 'idempotency_keys', 'import_images', 'import_rows', 'imports',
    'inventory_transactions', 'mail_refusals', 'mail_settings', 'mails', 'media',
    'media_changes', 'media_leftovers', 'media_uses', 'order_bumps', 'order_comments', 'order_edits', 'order_items',
    'orders', 'pages',
    'payment_events', 'payment_methods', 'payment_sessions', 'policy_uses', 'product_slugs', 'product_words',
    'products', 'proposals', 'redirects', 'refund_items', 'refunds', 'requests', 'return_items', 'returns',
    'sales_by_day', 'sales_by_period', 'sales_days',
    'sales_sums', 'scarce_products', 'shipping_rates', 'shopper_passkeys', 'shopper_sessions',
    'shopper_sign_ins', 'store_counters', 'store_versions', 'tax_by_day', 'tax_zones',
    'unnumbered_events', 'unsummed', 'unsummed_days', 'variants', 'webhook_health', 'webhooks',
  ],
}

export const placement: Readonly<Record<string, Place>> = Object.fromEntries(
  Object.entries(tables).flatMap(([place, names]) => names.map((name) => [name, place as Place])),
)
