// `Prefer: dry-run` (RFC 7240): the answer is the one that the request would get, with what else it would do beside it.
import type { FastifyRequest } from 'fastify'
import type { StoreDatabase, Tx } from '../kit/database/database.ts'
import { lookBack } from '../developer/dryruns/rehearsal.ts'
import { hidingCustomers } from '../developer/dryruns/people.ts'
import { shownTo } from '../developer/dryruns/shown.ts'
import type { Access } from './authenticate.ts'
import { preferenceOf } from './prefer.ts'
import type { WriteAnswer } from '../kit/declare/idempotency.ts'

export const rehearsalApplied = { 'preference-applied': 'dry-run' }

export function isRehearsal({ method, headers }: FastifyRequest, { rehearses }: { rehearses?: boolean }): boolean {
  return rehearses === true && method !== 'GET' && preferenceOf(headers, 'dry-run') !== undefined
}

/** The whole body. It has no address and no ETag: nothing is there that has one. */
export function rehearse(
  db: StoreDatabase,
  { store, scopes }: Access,
  effect: (tx: Tx) => Promise<WriteAnswer>,
  sent: unknown,
): Promise<WriteAnswer> {
  return db.rehearse(effect, async (tx, { status, body }, told) => {
    const { rehearsal } = await lookBack(tx, store.id, told)
    const hide = await hidingCustomers(tx, store.id, scopes, [rehearsal])
    const data = JSON.stringify(hide(JSON.parse(body), sent))
    return { status, body: `{"data":${data},"rehearsal":${JSON.stringify(hide(shownTo(scopes, rehearsal), sent))}}` }
  })
}
