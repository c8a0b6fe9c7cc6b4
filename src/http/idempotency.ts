// Idempotency-Key: a request with a key takes effect once, however often it is sent.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { retentionSeconds } from '../kit/declare/idempotency.ts'
import type { OnceKey } from '../tenancy/dispatch/serve.ts'
import { expiryRounds } from '../kit/database/batches.ts'
import { sql } from '../kit/database/sql.ts'
import type { JobWork } from '../platform/process/jobs.ts'
import { requestFaults } from './errors.ts'

const maxLength = 255

/** True if repeating the request would have another effect: GET and DELETE are harmless to repeat. */
export function isRepeatable({ method }: { method: string }): boolean {
  return method === 'POST' || method === 'PATCH'
}

/** The key of a request and its fingerprint; undefined without a key. */
export function readOnceKey(
  { headers, method, url }: Pick<FastifyRequest, 'headers' | 'method' | 'url'>,
  content: unknown,
): OnceKey | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || !isRepeatable({ method })) return undefined
  if (typeof key !== 'string' || key === '' || key.length > maxLength || !key.isWellFormed()) {
    throw invalid(fault('Idempotency-Key', requestFaults.wrong_key_length, { limit: maxLength }))
  }
  const fingerprint = createHash('sha256')
    .update(`${method} ${url}\n${JSON.stringify(content)}`)
    .digest()
  return { key, fingerprint }
}

const batchSize = 1000

/** Deletes stored responses that no repeat can request any more. */
export function forgetAnswersJob(): JobWork {
  return {
    name: 'forget idempotent answers',
    run: expiryRounds(batchSize, {
      table: 'idempotency_keys',
      key: { store_id: 'text', credential: 'text', key: 'text' },
      hasEnded: (now) => sql`created_at <= ${new Date(now.getTime() - retentionSeconds * 1000)}`,
    }),
  }
}
