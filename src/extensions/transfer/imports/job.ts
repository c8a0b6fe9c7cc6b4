// The work of imports beside requests. Each claim takes one import and works on it for a moment, so that several take
// turns; a process that ends leaves its import to the next claim.
import type { Database } from '../../../kit/database/database.ts'
import { claimFrom, type DueQueue } from '../../../kit/database/due.ts'
import { isDatabaseAway } from '../../../kit/database/errors.ts'
import { sql } from '../../../kit/database/sql.ts'
import { publicId } from '../../../kit/values/ids.ts'
import type { MediaDeps } from '../../../commerce/media/operations.ts'
import type { Job, JobWork } from '../../../platform/process/jobs.ts'
import type { Log } from '../../../platform/process/log.ts'
import { loadStore } from '../../../tenancy/stores/store.ts'
import { findCredential } from '../../../identity/account/credential.ts'
import { effectivePolicy } from '../../../tenancy/dispatch/policy.ts'
import type { UndoTools } from '../../../tenancy/tables/table.ts'
import { loadMarkdown } from './markdown.ts'
import type { SeenKeys } from './check.ts'
import { fetchImages } from './images.ts'
import { accessEnded } from './errors.ts'
import type { ImportStatus } from './import.ts'
import { previewBatch } from './preview.ts'
import { importPurgeJob } from './purge.ts'
import { buildBatchRequestId, runBatch } from './run.ts'
import { getImportScope } from './sources/source.ts'
import { leaseMs, moveTo, type ImportState } from './state.ts'
import { undoBatch } from './undo.ts'

type ClaimedImport = Pick<ImportState, 'id' | 'kind' | 'status' | 'actor' | 'position'> & { store_id: string }
export type ImportTools = MediaDeps & UndoTools

const turnMs = 1000

const queue: DueQueue = {
  table: 'imports',
  due: 'due_at',
  where: 'due_at is not null',
  claim: (now) => sql`due_at = ${new Date(now.getTime() + leaseMs)}`,
  returning: 'store_id, id, kind, status, actor, position',
}

const claim = claimFrom<ClaimedImport>(queue)

export type ImportJobParts = { db: Database; log: Log; deps: ImportTools }

export function buildImportJobs({ db, log, deps }: ImportJobParts): Job[] {
  return [
    { ...importsJob(db, log, deps), everySeconds: 5 },
    { ...importPurgeJob(), everySeconds: 600 },
  ]
}

function importsJob(db: Database, log: Log, deps: ImportTools): JobWork {
  const seen = new Map<string, SeenKeys>()
  return {
    name: 'import',
    due: [queue],
    async run(tx) {
      const [next] = await claim(tx, 1)
      if (!next) return
      const work = workOn(db, next, deps, seen).catch((error: unknown) => {
        log.error({ err: error, import: publicId('imp', next.id) }, 'an import was interrupted')
        // While the database is away, it is tried again. Any other error would happen again.
        return isDatabaseAway(error) ? undefined : fail(db, next)
      })
      return { more: true, afterwards: () => work }
    },
  }
}

async function fail(db: Database, { store_id, id }: ClaimedImport): Promise<void> {
  await db.ofStore(store_id).transaction(async (tx) => {
    moveTo(tx, store_id, id, 'failed', { error: 'An unexpected error occurred; the log of the server has its details' })
  })
}

/** Runs batches until the turn is over or no work is left. Without `deps`, images and undoing wait for a server. */
export async function workOn(
  db: Database,
  { store_id, id, kind, status, actor, position }: ClaimedImport,
  deps: ImportTools | null,
  seen: Map<string, SeenKeys>,
): Promise<void> {
  const store = await loadStore(db.ofStore(store_id), store_id)
  if (!store) return
  const credential = await findCredential(db.ofStore(store_id), store_id, actor)
  const isWriting = status === 'running' || status === 'undoing'
  if (isWriting && !credential?.scopes.has(getImportScope(kind))) return stop(db, { store_id, id })
  const policy = credential && effectivePolicy(credential.policy)
  const importId = publicId('imp', id)
  const ofBatch = (batch: number) => buildBatchRequestId(importId, batch)
  const because = (requestId: string) => db.because({ requestId, actor, operation: 'runImport' }).ofStore(store_id)
  const toMarkdown = await loadMarkdown()
  const own = because(importId)
  // A preview that begins again sees each key for the first time.
  const keys = (position > 0 && seen.get(id)) || new Map()
  if (status === 'previewing') seen.set(id, keys)
  else seen.delete(id)
  const workWith = (deps: ImportTools) => ({
    completed: () => fetchImages(own, store, id, { deps, actor }),
    undoing: () => undoBatch(because(`${importId}-undo`), store, id, { deps, requestIdOf: ofBatch }),
  })
  const batches: Partial<Record<ImportStatus, () => Promise<boolean>>> = {
    previewing: () => previewBatch(own, store, id, { toMarkdown, seen: keys }),
    running: () => runBatch(own, store, id, { toMarkdown, policy, because: (batch) => because(ofBatch(batch)) }),
    ...(deps ? workWith(deps) : {}),
  }
  const batch = batches[status]
  if (!batch) return
  const until = performance.now() + turnMs
  let hasMore = true
  while (hasMore && performance.now() < until) hasMore = await batch()
  await endTurn(own, store_id, id, { status, hasMore })
}

/** Written records stay. Anyone who may write such records can continue or undo the import. */
async function stop(db: Database, { store_id, id }: Pick<ClaimedImport, 'store_id' | 'id'>): Promise<void> {
  await db.ofStore(store_id).transaction(async (tx) => {
    moveTo(tx, store_id, id, 'stopped', { error: accessEnded })
  })
}

/** Remaining work is due at once; the next state has its own time. */
async function endTurn(
  db: ReturnType<Database['ofStore']>,
  storeId: string,
  id: string,
  { status, hasMore }: { status: ImportStatus; hasMore: boolean },
): Promise<void> {
  await db.transaction(async (tx) => {
    tx.later(sql`
      update imports
      set due_at = case when ${hasMore} then ${tx.now}::timestamptz end
      where store_id = ${storeId}
        and id = ${id}
        and status = ${status}
        and due_at is not null`)
  })
}
