// The groups of the reference, in its order.

// prettier-ignore
const tags: Record<string, string> = {
  Products:          'What a store sells: products with options, variants, images and prices.',
  Categories:        'The category tree of the shop.',
  Collections:       'Curated lists of products.',
  Inventory:         'Stock of products and variants, and every movement of it.',
  Media:             'Images: upload them or import them by URL.',
  Orders:            'Orders, their fulfillments, refunds and payments.',
  Payments:          'Payments across all orders, and those that need attention.',
  Ledger:            'Checks that payments, refunds, stock and totals agree.',
  Customers:         'Customers and their personal data.',
  Discounts:         'Discount codes.',
  'Checkout drafts': 'Carts that shoppers began and left.',
  Store:             'The store: settings, shipping, taxes, payment methods, appearance, pages and translations.',
  Mail:              'Emails to customers, and their templates.',
  Webhooks:          'Signed HTTP requests that report events to your server.',
  Events:            'The event log of the store, in commit order.',
  Requests:          'The log of API requests, each explained.',
  Audit:             'The log of every change, and reverting changes.',
  Proposals:         'Writes that wait for approval.',
  Storefront:        'Public endpoints for shoppers. They name the store by its slug and need no credential.',
  Portal:            'Account, team, connected apps and OAuth clients of a signed-in user.',
}

export function tagsOf(used: readonly string[]): object[] {
  const missing = used.find((tag) => !(tag in tags))
  if (missing) throw new Error(`the tag ${missing} has no description`)
  return Object.entries(tags)
    .filter(([name]) => used.includes(name))
    .map(([name, description]) => ({ name, description }))
}
