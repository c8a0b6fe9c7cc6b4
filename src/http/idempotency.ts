// Idempotency-Key: what a request names is done once, however often it comes.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { StoreDatabase, Tx } from '../kit/database/database.ts'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { keptSeconds, onlyOnce, type Answer } from '../kit/declare/once.ts'
import type { Vault } from '../kit/values/secrets.ts'
import { deleting } from '../kit/database/batches.ts'
import { sql, type Sql } from '../kit/database/sql.ts'
import type { Job } from '../platform/process/jobs.ts'

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
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(body)}`)
    .digest()
  const asked = { storeId: store.id, credential: `${actor.kind}:${actor.id}`, key, fingerprint }
  return onlyOnce(db, vault, asked, effect)
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
      where created_at <= ${new Date(now.getTime() - keptSeconds * 1000)}
      order by created_at
      limit ${size}))
    returning 1`
}
