// The tables of webhooks, imports, forks and proposals, and the list of those of all wings below.
import { sql } from '../kit/database/sql.ts'
import { publicId } from '../kit/values/ids.ts'
import * as commerce from '../commerce/tables.ts'
import * as identity from '../identity/tables.ts'
import * as money from '../money/tables.ts'
import * as storefront from '../storefront/tables.ts'
import { hasWord, listPersonWords } from '../tenancy/tables/person.ts'
import { extensions } from '../tenancy/extensions/loaded.ts'
import { table, type Erase, type Table } from '../tenancy/tables/table.ts'
import * as tenancy from '../tenancy/tables/tenancy.ts'
import type { Placement } from '../platform/postgres/placement.ts'
import { openJournal } from '../tenancy/audit/journal.ts'
import { fork } from './forks/fork.ts'
import { eraseEvents } from './privacy/events.ts'
import { buildWebhookSealContext } from './webhooks/secrets.ts'
import { webhook } from './webhooks/webhook.ts'

// A webhook that loses its secret is turned off.
const webhooks = table(webhook, {
  counters: { webhooks: '' },
  audit: { noun: 'webhook', scope: 'webhooks' },
  unforked: 'webhooks of the original',
  sealed: {
    columns: ['secret', 'previous_secret'],
    context: (row) => buildWebhookSealContext(row.store_id!, row.id!),
    blank: 'empty',
    without: {
      secret: `''`,
      previous_secret: 'null',
      is_active: 'false',
      disabled_at: 'coalesce(disabled_at, updated_at)',
      disabled_reason: `coalesce(disabled_reason, 'manual')`,
    },
  },
})
const webhookHealth = table('webhook_health', {
  audit: 'what deliveries have done',
  unforked: 'webhooks of the original',
})
const events = table('events', {
  audit: 'what follows from writes',
  unforked: 'the fork has its own event log',
  erasure: eraseEvents,
})
const deliveries = table('deliveries', {
  audit: 'what follows from events',
  unforked: 'log of webhooks',
  erasure: 'they are masked with their events',
})
const attempts = table('attempts', { audit: 'what deliveries have done', unforked: 'log of webhooks' })

const forks = table(fork, { placement: 'local', audit: { noun: 'fork' }, stays: 'databases of the installation' })

const importLog = 'a log of its own; each record that it writes is noted as a write'

/** Rows of imported files that created or name the person's records keep only their outcome. */
const eraseImportRows: Erase = (tx, storeId, person) => {
  const records = [publicId('cus', person.id), ...person.orderIds.map((id) => publicId('ord', id))]
  tx.later(sql`
    update import_rows
    set cells = '[]', messages = '[]'
    where store_id = ${storeId}
      and (record_id = any(${records}) or ${hasWord(sql`lower(cells::text)`, listPersonWords(person))})`)
}

const imports = table('imports', { audit: importLog, unforked: 'files with personal data' })
const importRows = table('import_rows', {
  audit: importLog,
  unforked: 'files with personal data',
  erasure: eraseImportRows,
})
const importImages = table('import_images', {
  audit: 'what an import has left to do',
  unforked: 'files with personal data',
})

/** Proposals that name the person or a record of theirs, in the request or the answer. */
const eraseProposals: Erase = (tx, storeId, person) => {
  const said = sql`lower(concat(request, answer, rehearsal, note, reason, result))`
  const records = [
    publicId('cus', person.id),
    ...person.orderIds.map((id) => publicId('ord', id)),
    ...person.returnIds.map((id) => publicId('ret', id)),
    ...person.checkoutIds.map((id) => publicId('chk', id)),
    ...person.draftOrderIds.map((id) => publicId('dord', id)),
  ]
  tx.later(sql`
    delete from proposals
    where store_id = ${storeId}
      and ${hasWord(said, [...records, ...listPersonWords(person)])}`)
}

const proposals = table('proposals', {
  audit: 'a log of its own; what is approved is a write',
  unforked: 'what keys proposed',
  erasure: eraseProposals,
})

/** A list that was searched for the person: its query is that of an address. */
const eraseViews: Erase = (tx, storeId, person) => {
  const plain = listPersonWords(person)
  const encoded = plain.flatMap((word) => [
    encodeURIComponent(word),
    String(new URLSearchParams([['', word]])).slice(1),
  ])
  const words = [publicId('cus', person.id), ...encoded, ...plain]
  tx.later(sql`
    delete from saved_views
    where store_id = ${storeId}
      and ${hasWord(sql`lower(concat(query, ' ', name))`, words)}`)
}

const savedViews = table('saved_views', {
  placement: 'local',
  audit: 'how a person likes to see a list',
  stays: 'they are of a member',
  erasure: eraseViews,
})

const ofWing = (declarations: object): Table[] => Object.values(declarations)

/** Every table of the database. */
export const tables: readonly Table[] = [
  ...[tenancy, identity, commerce, money, storefront].flatMap(ofWing),
  ...[webhooks, webhookHealth, events, deliveries, attempts, forks, imports, importRows, importImages],
  ...[proposals, savedViews],
  ...extensions.flatMap((extension) => extension.tables ?? []),
]

const storeTables = tables.flatMap(({ name, store }) => (store ? [{ name, ...store }] : []))

export const placement: Placement = Object.fromEntries(tables.map(({ name, placement }) => [name, placement]))

/** Tables whose rows go where their store goes. */
export const movedTables = storeTables.filter(({ stays }) => stays === undefined).map(({ name }) => name)

/** The closing statement of every transaction records changes to these. */
export const journal = openJournal(
  new Set(storeTables.filter(({ audit }) => typeof audit !== 'string').map(({ name }) => name)),
)
