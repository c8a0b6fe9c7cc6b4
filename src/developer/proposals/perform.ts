// Runs an operation of the API for callers without an HTTP request of their own. http provides it.
import type { StoreDatabase } from '../../kit/database/database.ts'
import type { Caller, Effect } from '../../tenancy/dispatch/perform.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { NewProposal } from './proposal.ts'

export type Performance = {
  /** The operationId. */
  operation: string
  /** The scope that permits proposing it. */
  scope: string
  /** Records named in its path. */
  records: { table: string; id: string }[]
  effect: Effect
}

/** Checks all that is checked before a transaction, and refuses as a request would be refused. */
export type Perform = (call: {
  caller: Caller<Store>
  request: NewProposal
  db: StoreDatabase
  isDryRun: boolean
  /** True if the scope to propose is enough. */
  isProposed: boolean
}) => Promise<Performance>

export type ProposalTools = { perform: Perform }
