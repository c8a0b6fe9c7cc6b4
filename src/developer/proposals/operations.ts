import type { Db, StoreDatabase, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { entityList, findRecord } from '../../kit/declare/page.ts'
import { insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { json, type WriteResult } from '../../kit/declare/route.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { missingScope } from '../../tenancy/dispatch/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Caller } from '../../tenancy/dispatch/perform.ts'
import { nameProposal } from '../../tenancy/audit/journal.ts'
import { actorText } from '../../commerce/inventory/stock.ts'
import { readWrites, type Rehearsal } from '../dryruns/writes.ts'
import { customerMasks } from '../dryruns/masks.ts'
import { dryRunViewFor } from '../dryruns/view.ts'
import type { Performance, ProposalTools } from './perform.ts'
import { proposal, type NewProposal } from './proposal.ts'
import { differences, differingPaths, readRecordVersions, type RecordVersion } from './versions.ts'
import { proposalFaults, buildOutdatedError, type ChangedField } from './errors.ts'

type Proposal = Entity<typeof proposal.fields>
type ProposalResult = { status: number; data: object }
/** A proposal as stored. */
type StoredProposal = {
  operation: string
  scope: string
  request: NewProposal
  answer: ProposalResult
  versions: RecordVersion[]
  status: string
  expires_at: Date
  proposed_by: string
}

/** The parts of a proposal after its dry run. */
export type ProposalDraft = Omit<Performance, 'effect' | 'records'> & {
  id: string
  answer: string
  rehearsal: Rehearsal
  versions: RecordVersion[]
}

type ProposalContext = ProposalTools & Caller<Store> & { db: StoreDatabase; isDryRun: boolean }

const keptDays = 7
const maxOpen = 1000
const maxBytes = 1024 * 1024

/** Rehearses the write: a refusal is reported here, and nothing is kept. */
export async function draftProposal({
  perform,
  body: request,
  db,
  ...caller
}: ProposalContext & { body: NewProposal }): Promise<ProposalDraft> {
  const { effect, records, ...named } = await perform({ caller, request, db, isDryRun: true, isProposed: true })
  const id = newUuid()
  const { changed, ...rehearsed } = await db.dryRun(effect, async (tx, { status, body }, events) => {
    const { touched, rehearsal } = await readWrites(tx, caller.store.id, events)
    return { answer: answerText(status, await body), rehearsal, changed: touched.filter(({ before }) => before) }
  })
  const versions = await readRecordVersions(db, caller.store.id, [...records, ...changed], { salt: id, holds: false })
  return { id, ...named, ...rehearsed, versions }
}

export async function createProposal(
  tx: Tx,
  { store, actor, scopes }: Caller<Store>,
  { note, ...request }: NewProposal,
  { id, ...draft }: ProposalDraft,
): Promise<WriteResult<Proposal>> {
  const values = {
    request: JSON.stringify(request),
    answer: draft.answer,
    rehearsal: JSON.stringify(draft.rehearsal),
    versions: JSON.stringify(draft.versions),
  }
  const bytes = Object.values(values).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > maxBytes) throw invalid(fault('body', proposalFaults.too_large_to_propose, { limit: maxBytes }))
  // Two at once take turns, so that the count is exact.
  tx.later(sql`select from stores where id = ${store.id} for no key update`)
  const counting = tx.one<{ count: number }>(sql`
    select count(*) as count
    from proposals
    where store_id = ${store.id}
      and status = 'open'
      and expires_at > ${tx.now}`)
  const insertion = tx.texts(sql`
    ${insertInto(
      proposal,
      {},
      {
        store_id: store.id,
        id,
        operation: draft.operation,
        scope: draft.scope,
        ...values,
        note: note ?? null,
        proposed_by: actorText(actor),
        created_at: tx.now,
        expires_at: new Date(tx.now.getTime() + keptDays * 24 * 3600_000),
      },
    )}
    returning ${proposal.columns}`)
  const [open, [row]] = await Promise.all([counting, insertion])
  if (open!.count >= maxOpen) {
    throw invalid(
      fault('body', generalFaults.one_too_many, { owner: 'a store', limit: maxOpen, things: 'open proposals' }),
    )
  }
  return recordView(tx, store, proposal.record(row!), scopes)
}

type ProposalReader = Pick<Caller<Store>, 'store' | 'scopes'>

/** Visible to callers who may propose the same. */
export async function findProposal(
  db: Db,
  { store, scopes }: ProposalReader,
  id: string,
): Promise<WriteResult<Proposal>> {
  await requireVisible(db, { store, scopes }, id)
  return recordView(db, store, await findRecord(db, proposal, store.id, id), scopes)
}

/** For the approver: includes the scope of the write, and the fields that have changed since. */
export async function examineProposal(
  db: Db,
  { store, scopes }: ProposalReader,
  id: string,
): Promise<{ proposal: Proposal; scope: string; since: ChangedField[] }> {
  const { scope, versions } = await requireVisible(db, { store, scopes }, id)
  const [{ entity }, now] = await Promise.all([
    findRecord(db, proposal, store.id, id),
    readRecordVersions(db, store.id, versions, { salt: id, holds: false }),
  ])
  const since = entity.status === 'open' ? differences(versions, now) : []
  const [view] = await proposalView(db, store, [entity], scopes)
  return { proposal: view!, scope: scope.replace('propose:', 'write:'), since }
}

export async function listProposals(db: Db, { store, scopes }: Caller<Store>, query: any): Promise<any> {
  const { data, pagination } = await entityList(
    db,
    proposal,
    store,
    query,
    sql`proposals.scope = any(${[...scopes]}::text[])`,
  )
  return json({ data: await proposalView(db, store, data, scopes), pagination })
}

type ProposalApproval = { kept: StoredProposal; effect: Performance['effect'] }

/** Checks everything that can be checked before the write. A decided proposal is refused. */
export async function readyProposal({
  perform,
  params,
  db,
  isDryRun,
  ...caller
}: ProposalContext & { params: { id: string } }): Promise<ProposalApproval> {
  const proposal = await requireVisible(db, caller, params.id)
  requireWrite(caller, proposal)
  requireOpen(proposal, db.clock.now())
  const performance = await perform({ caller, request: proposal.request, db, isDryRun, isProposed: false })
  return { kept: proposal, effect: performance.effect }
}

/** One statement decides the race: a second decision finds the proposal decided. */
export async function approveProposal(
  tx: Tx,
  { store, actor, scopes }: Caller<Store>,
  id: string,
  { kept, effect }: ProposalApproval,
): Promise<WriteResult<Proposal>> {
  nameProposal(tx, { ...kept, id })
  await decide(tx, { store, actor, scopes }, id, { status: 'approved' })
  const now = await readRecordVersions(tx, store.id, kept.versions, { salt: id, holds: true })
  const differing = differences(kept.versions, now)
  if (differing.length > 0) throw buildOutdatedError(differing)
  const { status, body } = await effect(tx)
  const [row] = await tx.texts(sql`
    update proposals
    set result = ${answerText(status, await body)}
    where store_id = ${store.id}
      and id = ${id}
    returning ${proposal.columns}`)
  const record = proposal.record(row!)
  const paths = differingPaths(kept.answer.data, record.entity.result!.data)
  if (paths.length > 0) throw buildOutdatedError(paths.map((field) => ({ resource: null, id: null, field })))
  return recordView(tx, store, record, scopes)
}

/** Visible to callers who may make the write and to the proposer. */
export async function refuseProposal(
  tx: Tx,
  { store, actor, scopes }: Caller<Store>,
  id: string,
  reason: string | null,
): Promise<WriteResult<Proposal>> {
  const storedProposal = await requireVisible(tx, { store, scopes }, id)
  if (storedProposal.proposed_by !== actorText(actor)) requireWrite({ scopes, actor }, storedProposal)
  await decide(tx, { store, actor, scopes }, id, { status: 'refused', reason })
  return recordView(tx, store, await findRecord(tx, proposal, store.id, id), scopes)
}

async function decide(
  tx: Tx,
  { store, actor, scopes }: Caller<Store>,
  id: string,
  { status, reason = null }: { status: 'approved' | 'refused'; reason?: string | null },
): Promise<void> {
  const [row] = await tx.rows(sql`
    update proposals
    set status = ${status}, reason = ${reason}, decided_by = ${actorText(actor)}, decided_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}
      and status = 'open'
      and expires_at > ${tx.now}
    returning 1`)
  if (!row) requireOpen(await requireVisible(tx, { store, scopes }, id), tx.now)
}

async function requireVisible(
  db: Db,
  { store, scopes }: Pick<Caller<Store>, 'store' | 'scopes'>,
  id: string,
): Promise<StoredProposal> {
  const row = await db.one<StoredProposal>(sql`
    select operation, scope, request, answer, versions, status, expires_at, proposed_by
    from proposals
    where store_id = ${store.id}
      and id = ${id}`)
  if (!row || !scopes.has(row.scope)) throw notFound(proposal.noun)
  return row
}

function requireWrite({ scopes, actor }: Pick<Caller<Store>, 'scopes' | 'actor'>, { scope }: StoredProposal): void {
  const scopeNeeded = scope.replace('propose:', 'write:')
  if (!scopes.has(scopeNeeded)) throw missingScope(scopeNeeded, { isToken: actor.kind === 'client' })
}

function requireOpen({ status, expires_at }: StoredProposal, now: Date): void {
  if (status !== 'open') throw conflict(`The proposal has already been ${status}`)
  if (expires_at <= now) throw conflict('The proposal has expired')
}

function answerText(status: number, data: string): string {
  return `{"status":${status},"data":${data}}`
}

async function recordView(
  db: Db,
  store: Store,
  { id, entity }: RecordOf<Proposal>,
  scopes: ReadonlySet<string>,
): Promise<WriteResult<Proposal>> {
  const [view] = await proposalView(db, store, [entity], scopes)
  return { id, json: json(view!) }
}

/** Hides what the reader's scopes do not cover. The records of an approved proposal can be read as usual. */
async function proposalView(
  db: Db,
  store: Store,
  entities: readonly Proposal[],
  scopes: ReadonlySet<string>,
): Promise<Proposal[]> {
  const open = entities.filter(({ status }) => status !== 'approved')
  const hide = await customerMasks(
    db,
    store.id,
    scopes,
    open.map(({ rehearsal }) => rehearsal),
  )
  return entities.map((entity) => {
    const { status, request, answer, rehearsal } = entity
    const parts = { answer, rehearsal: dryRunViewFor(scopes, rehearsal) }
    return { ...entity, ...(status === 'approved' ? parts : hide(parts, request)) }
  })
}
