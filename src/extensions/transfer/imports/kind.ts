// The interface of an importable kind of records.
import type { CustomerDeps } from '../../../commerce/customers/operations.ts'
import type { Db, Tx } from '../../../kit/database/database.ts'
import type { AnyResource } from '../../../kit/declare/resource.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import type { Prefix } from '../../../kit/values/ids.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { MatchKey } from './import.ts'
import type { Draft, MappedRow } from './record.ts'

/** An existing record that a draft is about; `by` and `value` are what they have in common. */
export type Match = { id: string; by: string; value: string }

/** When a record is checked, and how it is matched to an existing one. `startedAt` is null in a preview. */
export type CheckTime = { now: Date; startedAt: Date | null; matchBy: MatchKey }

export type ImportWrite = {
  tx: Tx
  store: Store
  actor: Actor
  startedAt: Date
  /** Looks up what several records of a transaction share once. */
  memory: <T>(key: string, make: () => Promise<T>) => Promise<T>
}

type RecordInput = Record<string, any>

export type RecordKind = {
  draft: (rows: readonly MappedRow[], time: CheckTime, store: Store) => Draft
  /** Its bodies of create and update validate the drafts. */
  body: AnyResource
  /** Faults beyond those of the body, or in place of them. */
  faults?: (input: RecordInput, store: Store, options: { isUpdate: boolean }) => Fault[]
  /** The plan feature that the record requires. */
  featureOf?: (input: RecordInput) => string | null
  /** The values that must be unique among the records of a file: slugs, SKUs, emails, codes. */
  keysOf: (input: RecordInput) => string[]
  /** Those by which a record is known in its file, if not by all of them. */
  identityOf?: (input: RecordInput, matchBy: MatchKey) => string[]
  /** Keeps a record from shoppers that has lost what limits it. */
  hold?: (input: RecordInput) => void
  /** Adds the IDs of records that the drafts name. Returns the faults of unknown names for each draft. */
  resolve?: (db: Db, store: Store, drafts: readonly Draft[]) => Promise<Fault[][]>
  /** What a preview finds wrong beyond the draft, as the start will. `id`: the uuid of the record that it updates. */
  previewFaults?: (db: Db, store: Store, input: RecordInput, id: string | null) => Promise<Fault[]>
  /** The existing record for each draft. */
  find: (db: Db, store: Store, drafts: readonly Draft[], time: CheckTime) => Promise<(Match | null)[]>
  /** Returns the public ID of the new record. */
  create: (call: ImportWrite, input: RecordInput) => Promise<string>
  /** The changes that an update writes, if they are not the input as it is. */
  planUpdate?: (entity: RecordInput, input: RecordInput, match: Match) => RecordInput
  /** Returns false if nothing has changed. Without it, existing records are skipped. */
  update?: (call: ImportWrite, match: Match, input: RecordInput) => Promise<boolean>
  /** Removes a record that the import has created; `id` is its uuid. */
  remove: (call: RemoveCall, id: string) => Promise<void>
  prefix: Prefix
}

export type RemoveCall = Pick<ImportWrite, 'tx' | 'store'> & { deps: CustomerDeps }
