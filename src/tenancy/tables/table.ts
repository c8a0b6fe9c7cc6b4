// A table is declared once, in the `tables.ts` of its noun, with all that the rest of the program does with its rows:
// where they are, whether they go along with their store, how the audit log names and undoes their changes, what is
// personal or sealed in them, and which counters they move. Everything that goes over all tables follows from this.
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { AnyField } from '../../kit/declare/field.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import type { AnyResource } from '../../kit/declare/resource.ts'
import { withoutPersonal } from '../../kit/declare/row.ts'
import type { Actor } from '../../kit/declare/route.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { Place } from '../../platform/postgres/placement.ts'
import type { Store } from '../stores/store.ts'
import type { Replacing } from './masking.ts'
import type { ErasedPerson } from './person.ts'
import type { TableRule } from './rule.ts'

/** Dependencies of an undo. */
export type UndoTools = { vault: Vault; eraseCustomer(tx: Tx, store: Store, id: string): Promise<void> }

export type UndoCall = { tx: Tx; store: Store; actor: Actor; scopes: ReadonlySet<string>; deps: UndoTools }

/** Fields as the API shows them. */
export type UndoValues = Record<string, unknown>

/** How a change is undone: by the operations that make such changes, with their checks and events. */
export type Undo = {
  /** The column that names a record. */
  key?: string
  /** Columns that other writes move or that are derived: neither compared nor restored. */
  follows?: readonly string[]
  /** Read-only columns that a write moves along with a field: they are restored. */
  companions?: readonly string[]
  /** Read-only columns that `change` restores. */
  moves?: readonly string[]
  /** Restores the previous values of these fields. */
  change(call: UndoCall, id: string, before: UndoValues): Promise<unknown>
  /** Removes the created record. */
  remove?(call: UndoCall, id: string): Promise<unknown>
  /** Records that use it and block its removal. `own` holds the IDs of records that the same undo restores. */
  users?(storeId: string, id: string, own: readonly string[]): Sql
  /** Restores the deleted record; without it, deletion is final. */
  restore?(call: UndoCall, past: RecordOrigin, before: UndoValues): Promise<unknown>
}

/** How the audit log names a record, and the noun of the scopes that read and write it. */
type AuditMarks = {
  noun: string
  /** Default: store. */
  scope?: string
  /** The prefix of the public IDs by which a part of another record is named. */
  prefix?: AnyResource['prefix']
  undo?: Undo
}

/** Removes a person's data from a table. */
export type Erase = (tx: Tx, storeId: string, person: ErasedPerson) => void | Promise<void>

/** Columns sealed with the installation's key; an archive seals them with a passphrase or leaves them out. */
export type SealedMarks = {
  columns: readonly string[]
  /** Seal context of a cell. */
  context(row: Record<string, string>): string
  /** Replaces a text that cannot be opened, in the copy format: empty or null. */
  blank: 'empty' | 'null'
  /** An archive without secrets: column → SQL. */
  without: Readonly<Record<string, string>>
}

type Marks = {
  /** Default: on the server of its store. */
  placement?: Place
  /** Counter of the store → the condition of the rows that it counts; an empty one counts all. */
  counters?: Readonly<Record<string, string>>
  /** Conditions that the rows meet after each commit. */
  rules?: readonly TableRule[]
}

/** Marks of tables whose rows belong to a store. */
export type StoreMarks = Marks & {
  /** Where the ID of the store is. Default: store_id. */
  owner?: 'id' | 'store_id'
  /** The reason why changes are not in the audit log. */
  audit: AuditMarks | string
  /** The reason why rows stay when their store moves to another installation. Without it they move along. */
  stays?: string
  /** The reason why a fork of the store begins without the rows. Without it a fork has them, unless they stay. */
  unforked?: string
  /**
   * Rows that name a customer in `customer_id`: they follow when the customer is merged into another; or the reason why
   * not.
   */
  merge?: 'follow' | (string & {})
  /** Replacements in a fork for data that is personal or reaches the outside world: column → SQL. */
  replaced?: (replacing: Replacing) => Readonly<Record<string, string>>
  /** Erasure of a person; or the reason why rows keep personal data. */
  erasure?: Erase | string
  sealed?: SealedMarks
}

/** Marks of tables whose rows belong to no store, or to the installation. */
export type InstallationMarks = Marks & { owner: null; placement: Place }

/** Rows of the installation, on its first server. */
export const installation = { owner: null, placement: 'local' } as const

export type Table = {
  name: string
  fields: Readonly<Record<string, AnyField>>
  prefix: AnyResource['prefix']
  placement: Place
  counters: Readonly<Record<string, string>>
  rules: readonly TableRule[]
  /** Null if rows belong to no store. */
  store: (StoreMarks & { owner: 'id' | 'store_id' }) | null
}

/** Declares the table of these resources, or by name if no resource shows it. */
export function table(
  declaration: string | AnyResource | readonly [AnyResource, ...AnyResource[]],
  marks: StoreMarks | InstallationMarks,
): Table {
  const resources = typeof declaration === 'string' ? [] : [declaration].flat()
  return {
    name: typeof declaration === 'string' ? declaration : resources[0]!.table,
    fields: Object.assign({}, ...resources.map(({ fields }) => fields)),
    prefix: resources[0]?.prefix ?? null,
    placement: marks.placement ?? 'distributed',
    counters: marks.counters ?? {},
    rules: marks.rules ?? [],
    store: marks.owner === null ? null : { ...marks, owner: marks.owner ?? 'store_id' },
  }
}

/** Clears the personal fields in the rows of the person's orders. */
export function clearForOrders({ table, fields }: AnyResource): Erase {
  return (tx, storeId, { orderIds }) =>
    tx.later(sql`
    update ${raw(table)}
    set ${withoutPersonal(fields)}
    where store_id = ${storeId}
      and order_id = any(${orderIds}::uuid[])`)
}

type Operations = {
  create?: (tx: Tx, store: Store, body: any, past: RecordOrigin) => Promise<unknown>
  update: (tx: Tx, store: Store, id: string, body: any) => Promise<unknown>
  remove?: (tx: Tx, store: Store, id: string) => Promise<unknown>
}

/** Undo by the operations of a resource, which read the restored values like any body. */
export function undoBy({ create: createReader, patch }: AnyResource, { create, update, remove }: Operations): Undo {
  return {
    change: ({ tx, store }, id, before) => update(tx, store, id, patch.read(before, readAt(tx, store))),
    ...(remove && { remove: ({ tx, store }, id) => remove(tx, store, id) }),
    ...(create && {
      restore: ({ tx, store }, past, before) => create(tx, store, createReader.read(before, readAt(tx, store)), past),
    }),
  }
}

type SettingsOperations = {
  save: (tx: Tx, store: Store, patch: any) => Promise<unknown>
  /** Deletes the row: the defaults apply without it. */
  reset: (tx: Tx, store: Store) => Promise<unknown>
}

/** Undo of settings, of which a store has one row. */
export function undoSettings(resource: AnyResource, { save, reset }: SettingsOperations): Undo {
  const update = (tx: Tx, store: Store, _: string, patch: any) => save(tx, store, patch)
  return { key: 'store_id', ...undoBy(resource, { create: save, update, remove: reset }) }
}

/** Bodies are read as of the time of the write. */
export function readAt(tx: Tx, store: Store) {
  return { ...store, now: tx.now }
}
