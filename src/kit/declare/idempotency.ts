// Repeats of a request return the first response: it is kept in the transaction of its effect, for 24 hours, per
// credential. It is kept sealed, as some responses show a secret, this once.
import type { StoreDatabase, Tx } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import { conflict, invalid } from '../values/errors.ts'
import { fault, generalFaults } from '../values/faults.ts'
import type { Vault } from '../values/secrets.ts'
import type { WriteResult } from './route.ts'

/** The response of a write. */
export type WriteAnswer = {
  status: number
  body: string
  location?: string | null
  replayed?: boolean
  afterwards?: WriteResult<any>['afterwards']
}

/** The response of a write whose transaction is still open: its body may come with the commit. */
export type PendingAnswer = Omit<WriteAnswer, 'body'> & { body: string | Promise<string> }

export const retentionSeconds = 24 * 60 * 60

export type IdempotentRequest = {
  storeId: string
  /** The credential of the request: each has keys of its own. */
  credential: string
  key: string
  /** A hash of the whole request: the key is valid for this request only. */
  fingerprint: Buffer
  /** Waits while the same request is in progress; otherwise that is a conflict. */
  waits?: boolean
}

/** Runs `effect` in a transaction, or returns the stored response. */
export async function runOnce(
  db: StoreDatabase,
  vault: Vault,
  request: IdempotentRequest,
  effect: (tx: Tx) => Promise<PendingAnswer>,
): Promise<WriteAnswer> {
  const { storeId, credential, key, fingerprint } = request
  const place = buildResponseSealContext(storeId, credential, key)
  return db.transaction(async (tx) => {
    const first = await firstAnswer(tx, request)
    if (first) {
      if (!first.fingerprint.equals(fingerprint)) throw invalid(fault('Idempotency-Key', generalFaults.key_used_before))
      if (first.body === null) throw conflict('This request succeeded, but its response is no longer stored')
      return { ...first, body: vault.open(first.body, place), replayed: true }
    }
    const answer = await effect(tx)
    const body = await answer.body
    tx.later(sql`
      insert into idempotency_keys (store_id, credential, key, fingerprint, status, location, body, created_at)
      values (${storeId}, ${credential}, ${key}, ${fingerprint}, ${answer.status}, ${answer.location ?? null},
              ${vault.seal(body, place)}, ${tx.now})
      on conflict (store_id, credential, key) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, location = excluded.location,
          body = excluded.body, created_at = excluded.created_at, records = excluded.records`)
    return { ...answer, body }
  })
}

/** Seal context of a stored response. */
export function buildResponseSealContext(storeId: string, credential: string, key: string): string {
  return `idempotency ${storeId} ${credential} ${key}`
}

/** The body is removed when a customer in it is erased. It is missing, too, from a store moved without secrets. */
type StoredAnswer = Omit<WriteAnswer, 'body'> & { body: string | null; fingerprint: Buffer }

/** Takes the key's lock until the end of the transaction, or refuses while another request holds it. */
async function firstAnswer(
  tx: Tx,
  { storeId, credential, key, waits = false }: IdempotentRequest,
): Promise<StoredAnswer | undefined> {
  const name = `${storeId} ${credential} ${key}`
  const lock = raw(waits ? 'pg_advisory_xact_lock' : 'pg_try_advisory_xact_lock')
  const [{ taken } = { taken: null }, storedAnswer] = await Promise.all([
    tx.one<{ taken: boolean | null }>(sql`
      select nullif(${lock}(hashtextextended(${name}, 0))::text, '')::boolean as taken`),
    tx.one<StoredAnswer>(sql`
      select fingerprint, status, location, body
      from idempotency_keys
      where store_id = ${storeId}
        and credential = ${credential}
        and key = ${key}
        and created_at > ${new Date(tx.now.getTime() - retentionSeconds * 1000)}`),
  ])
  if (taken === false) throw conflict('A request with the same Idempotency-Key is still being processed')
  return storedAnswer
}
