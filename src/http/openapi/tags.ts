// The groups of the reference, in its order.
import { extensions } from '../../tenancy/extensions/loaded.ts'

const addedTags = extensions.flatMap(({ name, routes = [], tags = {} }) =>
  routes.map(({ tag }) => [tag, tags[tag] ?? `The extension ${name}.`]),
)

// prettier-ignore
const tags: Record<string, string> = {
  Products:          'Products with their options, variants, images and prices.',
  Categories:        'Category tree of the online store.',
  Collections:       'Curated lists of products.',
  Inventory:         'Stock of products and variants, and every stock movement.',
  Media:             'Images, uploaded or imported by URL.',
  Orders:            'Orders, their fulfillments, refunds and payments.',
  'Draft orders':    'Orders put together for customers, who pay them by a link.',
  Payments:          'Payments of all orders, and those that need review.',
  Reports:           'Sales and taxes of a period.',
  Ledger:            'Checks that payments, refunds, stock and totals agree.',
  Customers:         'Customers and their personal data.',
  'Customer groups': 'Groups of customers by rules and by hand, for lists and discounts.',
  Discounts:         'Discount codes.',
  'Checkout drafts': 'Checkouts that shoppers started and did not complete.',
  Tasks:             'Counts of what needs attention.',
  Store:             'Store settings, shipping, taxes, payment methods, appearance, pages and translations.',
  Redirects:         'Old addresses of the online store, and where they lead.',
  Mail:              'Emails to customers, and their templates.',
  Webhooks:          'Signed HTTP requests that notify your server of events.',
  Events:            'Event log of the store, in commit order.',
  Requests:          'Request log of the store, with an explanation of each request.',
  Audit:             'Audit log of the store, and reverting changes.',
  Proposals:         'Writes waiting for approval.',
  ...Object.fromEntries(addedTags),
  Storefront:        'Public endpoints for shoppers. They name the store by its slug and require no credential.',
  Portal:            'Account, team, connected apps and OAuth clients of a signed-in user.',
}

export function listTags(names: readonly string[]): object[] {
  const missing = names.find((tag) => !(tag in tags))
  if (missing) throw new Error(`the tag ${missing} has no description`)
  return Object.entries(tags)
    .filter(([name]) => names.includes(name))
    .map(([name, description]) => ({ name, description }))
}
