// Rules of the API for archived values: anyone who edits an archive can also make its sums right.
import type pg from 'pg'
import { maxMoney } from '../../kit/values/money.ts'

/** The condition of SQL is true for a value that breaks the rule. */
type ArchiveRule = [table: string, column: string, breaks: (column: string) => string]

const isNoSlug = (column: string) => `${column} !~ '^[a-z0-9]+(-[a-z0-9]+)*$' or length(${column}) > 100`
const isNoHex = (digits: number) => (column: string) => `${column} !~ '^[0-9a-f]{${digits}}$'`
const isNoAmount = (column: string) => `${column} < 0 or ${column} > ${maxMoney}`
const isNoSize = (column: string) => `${column} < 1 or ${column} > 99999`
const isNoName = (column: string) => `trim(${column}) = '' or length(${column}) > 255`
const currencies = Intl.supportedValuesOf('currency').join()
const isNoCurrency = (column: string) => `${column} <> all('{${currencies}}')`
const isLonger = (most: number) => (column: string) => `length(${column}) > ${most}`

// prettier-ignore
const rules: readonly ArchiveRule[] = [
  ['stores',           'slug',        isNoSlug],
  ['stores',           'name',        isNoName],
  ['stores',           'description', isLonger(5000)],
  ['stores',           'currency',    isNoCurrency],
  ['stores',           'timezone',    (column) => `not is_time_zone(${column})`],
  ['store_slugs',      'slug',        isNoSlug],
  ['media',            'hash',        isNoHex(32)],
  ['media',            'colour',      isNoHex(6)],
  ['media',            'width',       isNoSize],
  ['media',            'height',      isNoSize],
  ['products',         'slug',        isNoSlug],
  ['products',         'name',        isNoName],
  ['products',         'description', isLonger(50_000)],
  ['products',         'price',       isNoAmount],
  ['product_slugs',    'slug',        isNoSlug],
  ['variants',         'price',       isNoAmount],
  ['categories',       'slug',        isNoSlug],
  ['categories',       'description', isLonger(5000)],
  ['category_slugs',   'slug',        isNoSlug],
  ['collections',      'slug',        isNoSlug],
  ['collection_slugs', 'slug',        isNoSlug],
  ['pages',            'slug',        isNoSlug],
]

/** The first value of the store that breaks a rule, as table and column. */
export async function brokenRule(client: pg.Client, storeId: string): Promise<string | null> {
  for (const [table, column, breaks] of rules) {
    const owner = table === 'stores' ? 'id' : 'store_id'
    const result = await client.query(`select from ${table} where ${owner} = $1 and (${breaks(column)}) limit 1`, [
      storeId,
    ])
    if (result.rowCount) return `${table}.${column}`
  }
  return null
}

/** Ownership of the domain must be proven again in this installation. */
export async function forgetProof(client: pg.Client, storeId: string): Promise<void> {
  await client.query('update stores set domain_verified = false where id = $1 and domain_verified', [storeId])
}
