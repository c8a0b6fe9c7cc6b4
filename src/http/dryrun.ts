// `Prefer: dry-run` (RFC 7240): the response that the request would get, together with its other effects.
import type { FastifyRequest } from 'fastify'
import type { StoreDatabase } from '../kit/database/database.ts'
import { readWrites } from '../developer/dryruns/writes.ts'
import { customerMasks } from '../developer/dryruns/masks.ts'
import { dryRunViewFor } from '../developer/dryruns/view.ts'
import type { Caller, Effect } from '../tenancy/dispatch/perform.ts'
import { readPreference } from './prefer.ts'
import type { WriteAnswer } from '../kit/declare/idempotency.ts'
import type { RouteTable } from '../kit/declare/route.ts'

export const dryRunApplied = { 'preference-applied': 'dry-run' }

export function wantsDryRun(
  { method, headers }: FastifyRequest,
  { acceptsDryRuns }: Pick<RouteTable, 'acceptsDryRuns'>,
): boolean {
  return acceptsDryRuns === true && method !== 'GET' && readPreference(headers, 'dry-run') !== undefined
}

/** The whole body. It has no address and no ETag, because no record exists. */
export function performDryRun(
  db: StoreDatabase,
  { store, scopes }: Pick<Caller, 'store' | 'scopes'>,
  effect: Effect,
  sentBody: unknown,
): Promise<WriteAnswer> {
  return db.dryRun(effect, async (tx, { status, body }, events) => {
    const { rehearsal } = await readWrites(tx, store.id, events)
    const hide = await customerMasks(tx, store.id, scopes, [rehearsal])
    const data = JSON.stringify(hide(JSON.parse(await body), sentBody))
    return {
      status,
      body: `{"data":${data},"rehearsal":${JSON.stringify(hide(dryRunViewFor(scopes, rehearsal), sentBody))}}`,
    }
  })
}
