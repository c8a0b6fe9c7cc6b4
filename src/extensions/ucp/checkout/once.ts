// Runs a call with an Idempotency-Key once: a repeat gets the first response, even if that was an error.
import { createHash } from 'node:crypto'
import { runOnce, type WriteAnswer } from '../../../kit/declare/idempotency.ts'
import type { Tx } from '../../../kit/database/database.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { isUuid } from '../../../kit/values/ids.ts'
import { Problem, Refusal } from '../problems.ts'
import type { Visit } from '../visit.ts'

type OnceAnswer = { json: string; afterwards?: () => Promise<string> }
type OnceEffect = (tx: Tx) => Promise<OnceAnswer>
type RefusalAnswer = (tx: Tx, error: unknown) => Promise<string>

/**
 * `subject`: the operation and its record. `recover`: the response to a rejection, from a
 * transaction without the effect.
 */
export async function once(
  visit: Visit,
  { subject, content }: { subject: string; content: unknown },
  effect: OnceEffect,
  recover: RefusalAnswer,
): Promise<string> {
  const { db } = visit
  const perform = (work: OnceEffect) => performOnce(visit, { subject, content }, work)
  try {
    return await perform(effect)
  } catch (error) {
    if (isOfKey(error)) throw new Problem('idempotency_conflict', 'This Idempotency-Key was used for another request')
    if (error instanceof Problem || error instanceof Refusal || isTemporary(error)) throw error
    if (visit.key === null) return db.transaction((tx) => recover(tx, error))
    return perform(async (tx) => ({ json: await recover(tx, error) }))
  }
}

async function performOnce(
  { db, store, deps, agent, key }: Visit,
  { subject, content }: { subject: string; content: unknown },
  work: OnceEffect,
): Promise<string> {
  if (key === null) {
    const answer = await db.transaction(work)
    return answer.afterwards ? answer.afterwards() : answer.json
  }
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const request = {
    storeId: store.id,
    credential: `agent ${digest(`${agent.profile}\n${subject}`).toString('base64url').slice(0, 22)}`,
    key: key.toLowerCase(),
    fingerprint: digest(`${subject}\n${JSON.stringify(content)}`),
    waits: true,
  }
  let afterwards: OnceAnswer['afterwards']
  const answer = await runOnce(db, deps.vault, request, async (tx): Promise<WriteAnswer> => {
    const answer = await work(tx)
    afterwards = answer.afterwards
    return { status: 200, body: answer.json }
  })
  return afterwards && !answer.replayed ? afterwards() : answer.body
}

/** True if the server is unavailable or busy, or others kept changing the same records. */
function isTemporary(error: unknown): boolean {
  return error instanceof ApiError && (error.status >= 500 || error.status === 429 || 'retry-after' in error.headers)
}

function isOfKey(error: unknown): boolean {
  return error instanceof ApiError && error.faults.some(({ field }) => field === 'Idempotency-Key')
}

/** The key must be a UUID, since the same key of two shoppers would be one call. */
export function requireKey(key: string | null): string | null {
  if (key !== null && !isUuid(key)) throw new Problem('invalid_request', 'The Idempotency-Key must be a UUID')
  return key
}
