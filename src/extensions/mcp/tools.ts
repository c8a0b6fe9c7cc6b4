// The tools of /mcp: intents of a merchant, made of operations of /v1, from which schemas, scopes and checks follow.

export type ToolDeclaration = {
  name: string
  title: string
  description: string
  /**
   * Operation IDs. The first whose path arguments are all present is called, otherwise the last. All are reads or all
   * are writes, but for reading what the tool itself made.
   */
  operations: readonly string[]
  /** Values of omitted arguments, where the operation has no default or another one. */
  defaults?: Readonly<Record<string, string | number>>
  /** The fields of a list's rows, unless all are requested. */
  row?: readonly string[]
  /** True if it overwrites or pays out; by default, true if an operation is a PATCH or DELETE. */
  isDestructive?: boolean
}

// prettier-ignore
export const toolDeclarations: readonly ToolDeclaration[] = [
  {
    name: 'find_products', title: 'Find products', operations: ['listProducts'],
    description: 'Search and filter products by text, status, category, tag, price or stock. Lists active products ' +
      'unless status says otherwise.',
    defaults: { per_page: 10 },
    row: ['id', 'name', 'sku', 'price', 'compare_price', 'product_status', 'track_inventory', 'stock_quantity'],
  },
  {
    name: 'get_product', title: 'Get a product', operations: ['getProduct'],
    description: 'Get a product with its variants, prices, stock and images.',
  },
  {
    name: 'update_product', title: 'Update a product', operations: ['updateProduct'],
    description: 'Change fields of a product. Fields that are left out stay as they are; variants that are left out ' +
      'of a list of variants are deleted.',
  },
  {
    name: 'adjust_stock', title: 'Adjust stock', operations: ['updateInventoryProduct'], isDestructive: false,
    description: 'Add units to a product or variant, or remove them with a negative quantity. The change is recorded ' +
      'as a stock movement with its reason.',
  },
  {
    name: 'find_orders', title: 'Find orders', operations: ['listOrders'],
    description: 'Search and filter orders by text, status, payment, fulfillment, customer, date, total or place.',
    defaults: { per_page: 10 },
    row: [
      'id', 'order_number', 'created_at', 'status', 'payment_status', 'fulfillment_status', 'customer_name',
      'item_count', 'total', 'currency',
    ],
  },
  {
    name: 'get_order', title: 'Get an order', operations: ['getOrder'],
    description: 'Get an order with its items, amounts, address, payment and fulfillment status.',
  },
  {
    name: 'fulfill_order', title: 'Fulfill an order', operations: ['createOrderFulfillment'],
    description: 'Record that items of an order were shipped, with carrier and tracking. The customer receives an ' +
      'email.',
  },
  {
    name: 'refund_order', title: 'Refund an order', operations: ['createOrderRefund'], isDestructive: true,
    description: 'Return money for items, shipping or an amount of an order. It cannot be undone: try it with ' +
      'dry_run first.',
  },
  {
    name: 'find_customers', title: 'Find customers', operations: ['listCustomers'],
    description: 'Search and filter customers by name, contact, orders or amount spent.',
    defaults: { per_page: 10 },
    row: ['id', 'name', 'email', 'phone', 'orders_count', 'total_spent', 'last_order_at'],
  },
  {
    name: 'manage_discount', title: 'Create or change a discount', operations: ['updateDiscount', 'createDiscount'],
    description: 'With discount_id, change that discount. Without, create one: code, type and value are required.',
  },
  {
    name: 'abandoned_checkouts', title: 'List abandoned checkouts', operations: ['listCheckoutDrafts'],
    description: 'List checkouts that shoppers left without an order, with their recovery link. Their carts ' +
      'are in all_fields.',
    defaults: { per_page: 10 },
    row: ['id', 'status', 'customer', 'total', 'currency', 'abandoned_at', 'recovery_url'],
  },
  {
    name: 'sales_report', title: 'Report sales', operations: ['getReportsSales'],
    description: 'Report orders, units, discounts, refunds and sales of a period by product, category, discount, ' +
      'country or payment method, compared with the previous period.',
  },
  {
    name: 'webhook_problems', title: 'Find webhook problems', operations: ['listWebhookDeliveries', 'listWebhooks'],
    description: 'Without webhook_id, list webhooks that fail. With it, list the failed deliveries of that webhook.',
    defaults: { is_failing: 'true', status: 'failed', per_page: 10 },
    row: [
      'id', 'url', 'status', 'consecutive_failures', 'disabled_reason', 'event', 'event_id', 'status_code',
      'message', 'created_at',
    ],
  },
  {
    name: 'explain_request', title: 'Explain a request', operations: ['explainRequest'],
    description: 'Explain what an API request did: its checks, database work, changes, events, emails and errors.',
  },
  {
    name: 'propose_change', title: 'Propose a change', operations: ['getProposal', 'createProposal'],
    description: 'Propose any write of the REST API, which a person then approves or declines in the dashboard. Its ' +
      'path and body come from find_operation. With proposal_id alone, get that proposal and what was decided.',
  },
]
