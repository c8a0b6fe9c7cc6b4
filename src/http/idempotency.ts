// Idempotency-Key: the answer is kept in the transaction of its effect, for 24 hours, per credential. It is kept
// sealed: some answers show a secret, this once.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { StoreDatabase, Tx } from '../kit/database/database.ts'
import { conflict, invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { deleting } from '../kit/database/batches.ts'
import { sql, type Sql } from '../kit/database/sql.ts'
import type { Job } from '../platform/process/jobs.ts'
import type { Answer } from './call.ts'

const lifeSeconds = 24 * 60 * 60
const maximumLength = 255

/** Whether repeating it would have another effect: getting and deleting are harmless by themselves. */
export function isRepeatable({ method }: { method: string }): boolean {
  return method === 'POST' || method === 'PATCH'
}

/** Runs `effect` in a transaction, once per Idempotency-Key when the request has one. */
export async function idempotently(
  db: StoreDatabase,
  vault: Vault,
  request: FastifyRequest,
  body: unknown,
  effect: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key']
  if (key === undefined || !isRepeatable(request)) return db.transaction(effect)
  if (typeof key !== 'string' || key === '' || key.length > maximumLength || !key.isWellFormed()) {
    throw invalid(fault('Idempotency-Key', 'wrong_key_length', { limit: maximumLength }))
  }
  const { store, actor } = request.access
  const credential = `${actor.kind}:${actor.id}`
  const place = `idempotency ${store.id} ${credential} ${key}`
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(body)}`)
    .digest()

  return db.transaction(async (tx) => {
    const first = await firstAnswer(tx, store.id, credential, key)
    if (first) {
      if (first.fingerprint.equals(fingerprint)) {
        return { ...first, body: vault.open(first.body, place), replayed: true }
      }
      throw invalid(fault('Idempotency-Key', 'key_used_before'))
    }
    const answer = await effect(tx)
    tx.later(sql`
      insert into idempotency_keys (store_id, credential, key, fingerprint, status, location, body, created_at)
      values (${store.id}, ${credential}, ${key}, ${fingerprint}, ${answer.status}, ${answer.location ?? null},
              ${vault.seal(answer.body, place)}, ${tx.now})
      on conflict (store_id, credential, key) do update
      set fingerprint = excluded.fingerprint, status = excluded.status, location = excluded.location,
          body = excluded.body, created_at = excluded.created_at`)
    return answer
  })
}

type StoredAnswer = Answer & { fingerprint: Buffer }

/** Takes the key's lock until the end of the transaction, or refuses while another request holds it. */
async function firstAnswer(
  tx: Tx,
  storeId: string,
  credential: string,
  key: string,
): Promise<StoredAnswer | undefined> {
  const name = `${storeId} ${credential} ${key}`
  const [lock, stored] = await Promise.all([
    tx.one<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`),
    tx.one<StoredAnswer>(sql`
      select fingerprint, status, location, body
      from idempotency_keys
      where store_id = ${storeId}
        and credential = ${credential}
        and key = ${key}
        and created_at > ${new Date(tx.now.getTime() - lifeSeconds * 1000)}`),
  ])
  if (!lock?.taken) throw conflict('A request with the same Idempotency-Key is still being processed')
  return stored
}

const batchSize = 1000

/** Answers that no repeat can ask for any more. */
export function forgetAnswersJob(): Job {
  return { name: 'forget idempotent answers', everySeconds: 600, run: deleting(batchSize, [oldAnswers]) }
}

function oldAnswers(now: Date, size: number): Sql {
  return sql`
    delete from idempotency_keys
    where ctid = any(array(
      select ctid from idempotency_keys
      where created_at <= ${new Date(now.getTime() - lifeSeconds * 1000)}
      order by created_at
      limit ${size}))
    returning 1`
}
