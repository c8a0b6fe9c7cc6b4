// The result of checking a part of the ledger.
import { list, object } from '../../kit/declare/composites.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, flag, integer, text } from '../../kit/declare/scalars.ts'
import { queryReader } from '../../kit/declare/shape.ts'
import { ledgerRecords } from '../../tenancy/tables/rule.ts'

export const maxDisagreements = 100

// prettier-ignore
const checkedCounts = object({
  orders:   integer().required().example(5000).describe('Number of orders checked'),
  products: integer().required().example(1000).describe('Number of products checked'),
  rules:    integer().required().example(13).describe('Number of rules checked'),
})

// prettier-ignore
const disagreement = object({
  rule: text().required().example('the subtotal of an order is the sum of its items and order bumps'),
  of:   choice(ledgerRecords).required().describe('Kind of the record that is wrong'),
  id:   text().required().example('ord_01m80vnt7ke0g8sjkrm3jd9wr3'),
})

export type Disagreement = NonNullable<(typeof disagreement)['type']>['value']

// prettier-ignore
export const verification = resource('orders', {
  agrees:        flag().readonly().describe('Whether all records are consistent'),
  checked:       checkedCounts.readonly().describe('Number of records and rules checked'),
  disagreements: list(disagreement, { max: maxDisagreements }).readonly()
    .describe(`Up to ${maxDisagreements} broken rules`),
  next:          text().nullable().readonly().describe('Cursor to send as `after` next; null when complete'),
}, {}, { noun: 'Ledger', title: 'Verification' })

export const verificationQuery = queryReader({
  after: text({ max: 64, pattern: '^\\d{1,15}\\.[0-9a-f-]{36}$' })
    .example('5000.01912d68-783e-7a03-8467-5661c1243ad4')
    .describe('Cursor: `next` of the previous response'),
})
