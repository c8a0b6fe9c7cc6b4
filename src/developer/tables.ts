// Every table, each declared in the `tables.ts` of its noun, and what follows from all declarations.
import * as payments from '../commerce/payments/tables.ts'
import * as commerce from '../commerce/tables.ts'
import * as identity from '../identity/tables.ts'
import * as reports from '../money/reports/tables.ts'
import * as storefront from '../storefront/tables.ts'
import { openJournal } from '../tenancy/audit/journal.ts'
import { extensions } from '../tenancy/extensions/loaded.ts'
import type { Table } from '../tenancy/tables/table.ts'
import * as tenancy from '../tenancy/tables.ts'
import type { Placement } from '../platform/postgres/placement.ts'
import * as privacy from './privacy/tables.ts'
import * as proposals from './proposals/tables.ts'
import * as requests from './requests/tables.ts'
import * as webhooks from './webhooks/tables.ts'

const own = [webhooks, privacy, proposals, requests]

/** Every table of the database. */
export const tables: readonly Table[] = [
  ...[tenancy, identity, commerce, payments, reports, storefront, ...own].flatMap((one): Table[] => Object.values(one)),
  ...extensions.flatMap((extension) => extension.tables ?? []),
]

const storeTables = tables.flatMap(({ name, store }) => (store ? [{ name, ...store }] : []))

export const placement: Placement = Object.fromEntries(tables.map(({ name, placement }) => [name, placement]))

/** Tables whose rows go where their store goes. */
export const movedTables = storeTables.filter(({ stays }) => stays === undefined).map(({ name }) => name)

/** Tables whose rows follow a customer who is merged into another. */
export const followingTables = storeTables.filter(({ merge }) => merge === 'follow').map(({ name }) => name)

/** The closing statement of every transaction records changes to these. */
export const journal = openJournal(
  new Set(storeTables.filter(({ audit }) => typeof audit !== 'string').map(({ name }) => name)),
)
