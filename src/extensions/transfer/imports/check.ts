// Decides the outcome of each record of a file: it is created, updates an existing one, is skipped, or has faults.
import type { Tx } from '../../../kit/database/database.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { missingFeature } from '../../../tenancy/plans/errors.ts'
import { hasFeature, type Feature } from '../../../tenancy/plans/plan.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { findCustomColumns, listCustomFaults } from './customcolumns.ts'
import { findSkipCause, type Fix } from './fixes.ts'
import type { MatchKey } from './import.ts'
import type { Match, RecordKind } from './kind.ts'
import { findRowNote, remark, remarkError, rowNotes, type RowMessage } from './notes.ts'
import { toRowMessages, type Draft, type MappedRow } from './record.ts'
import { handlers, type ImportRecord, type ImportState } from './state.ts'

export type CheckedRecord = {
  record: ImportRecord
  draft: Draft
  match: Match | null
  outcome: 'to_create' | 'to_update' | 'skipped' | 'rejected'
  messages: RowMessage[]
}

type RowDecision = Pick<CheckedRecord, 'outcome' | 'messages'>

/** Keys that records before this one have, with their lines; a new record adds its own. */
export type SeenKeys = Map<string, number>

export async function checkRecords(
  tx: Tx,
  store: Store,
  state: ImportState,
  records: readonly ImportRecord[],
  seen?: SeenKeys,
): Promise<CheckedRecord[]> {
  const handler = handlers[state.kind]
  const time = { now: tx.now, startedAt: state.started_at, matchBy: state.match_by }
  const drafts = records.map(({ rows }) => noteRemarks(handler, handler.draft(rows, time, store), rows))
  const [matches, faults, custom] = await Promise.all([
    handler.find(tx, store, drafts, time),
    handler.resolve?.(tx, store, drafts) ?? [],
    findCustomColumns(tx, store, state.kind),
  ])
  return records.map((record, index) => {
    const [draft, match] = [drafts[index]!, matches[index]!]
    const repeat = seen && noteKeys(seen, handler, draft, record, state.match_by)
    const place = { number: record.rows[0]!.number, column: null }
    const reason = repeat ?? (match && remark(place, rowNotes.exists, { by: match.by, value: match.value }))
    const decision = decide(store, state, record, draft, {
      match,
      found: reason,
      unknown: [...(faults[index] ?? []), ...listCustomFaults(custom, state.kind, draft, match === null)],
    })
    return { record, draft, match, ...leaveOut(state.fixes, decision) }
  })
}

/** Each reason once a record, at its first row. */
function noteRemarks({ hold }: RecordKind, draft: Draft, rows: readonly MappedRow[]): Draft {
  const notesTold = new Set<string>()
  for (const { number, remarks } of rows) {
    for (const { name, note, holds } of remarks) {
      if (holds) hold?.(draft.input)
      if (!notesTold.has(note!)) draft.notes.push(remark({ number, column: name }, findRowNote(note!)))
      notesTold.add(note!)
    }
  }
  return draft
}

function noteKeys(
  seen: SeenKeys,
  { keysOf, identityOf = keysOf }: RecordKind,
  { input }: Draft,
  { rows }: ImportRecord,
  matchBy: MatchKey,
): RowMessage | undefined {
  const repeat = identityOf(input, matchBy).find((key) => seen.has(key))
  for (const key of keysOf(input)) if (!seen.has(key)) seen.set(key, rows[0]!.line)
  if (repeat === undefined) return undefined
  const place = { number: rows[0]!.number, column: null }
  return remark(place, rowNotes.appears_twice, { value: repeat, line: seen.get(repeat)! })
}

function decide(
  store: Store,
  { kind, on_duplicate, match_by }: ImportState,
  { rows }: ImportRecord,
  draft: Draft,
  { match, found, unknown }: { match: Match | null; found: RowMessage | null | undefined; unknown: Fault[] },
): RowDecision {
  const handler = handlers[kind]
  const first = rows[0]!.number
  const wide = rows.filter(({ isTooWide }) => isTooWide)
  if (wide.length > 0) {
    const messages = wide.map(({ number }) => remark({ number, column: null }, rowNotes.too_wide))
    return { outcome: 'rejected', messages }
  }
  const updates = Boolean(found) && on_duplicate === 'update' && handler.update !== undefined
  if (found && !updates) return { outcome: on_duplicate === 'reject' ? 'rejected' : 'skipped', messages: [found] }
  const isUpdate = updates && match !== null
  if (!isUpdate) draft.completeNew?.()
  const own = listRecordFaults(store, kind, draft, { isUpdate })
  const lacksKey = match_by !== 'auto' && !match && !hasKey(draft, match_by)
  const faults =
    own instanceof ApiError ? own : lacksKey ? [fault(match_by, generalFaults.required)] : [...unknown, ...own]
  if (faults instanceof ApiError) {
    return { outcome: 'rejected', messages: remarkError({ number: first, column: null }, faults) }
  }
  if (faults.length > 0) return { outcome: 'rejected', messages: toRowMessages(draft, faults, first) }
  return { outcome: updates ? 'to_update' : 'to_create', messages: draft.notes }
}

/** A cause whose records are to be left out. */
export function leaveOut(fixes: readonly Fix[], decision: RowDecision): RowDecision {
  const cause = decision.outcome === 'skipped' ? undefined : findSkipCause(fixes, decision.messages)
  return cause ? { outcome: 'skipped', messages: [cause] } : decision
}

/** A product has it by itself, or each of its variants does. */
function hasKey({ input }: Draft, key: MatchKey): boolean {
  return [input, ...(input.variants ?? [])].some((one) => one[key] !== undefined)
}

/** The faults that the API would report for the record. */
function listRecordFaults(
  store: Store,
  kind: ImportState['kind'],
  { input }: Draft,
  { isUpdate }: { isUpdate: boolean },
) {
  const { body, faults, featureOf } = handlers[kind]
  const feature = featureOf?.(input)
  if (feature && !hasFeature(store.plan, feature as Feature)) return missingFeature(feature)
  const own = faults?.(input, store, { isUpdate }) ?? []
  try {
    const reader = isUpdate ? body.patch : body.create
    reader.read(input, store)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [...own, ...error.faults]
  }
  return own
}

/** The public ID of the existing record that a draft updates. */
export function idOfMatch({ kind }: ImportState, match: Match | null): string | null {
  return match && publicId(handlers[kind].prefix, match.id)
}
