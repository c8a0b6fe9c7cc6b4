/** The tables whose changes the audit log notes: those that migrations gave to account_for(). */
// prettier-ignore
export const auditedTables: ReadonlySet<string> = new Set([
  'api_keys', 'app_policies', 'categories', 'category_slugs', 'collection_products', 'collection_slugs',
  'collections', 'customer_groups', 'customers', 'discounts', 'draft_orders', 'forks', 'fulfillment_items',
  'fulfillments',
  'mail_settings', 'media', 'members', 'order_bumps', 'order_comments', 'order_items', 'orders', 'pages',
  'payment_methods', 'payment_sessions', 'product_slugs', 'products', 'redirects', 'refund_items', 'refunds',
  'return_items', 'returns', 'roles', 'shipping_rates', 'stores', 'tax_zones', 'variants', 'webhooks',
])
