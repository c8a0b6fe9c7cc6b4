// Codes of an app on a phone: six digits that change every 30 seconds (RFC 6238).
import { recordSecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Actor } from '../../../kit/values/actor.ts'
import type { Db, Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { conflict, invalid, notFound } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import type { Vault } from '../../../kit/values/secrets.ts'
import { accountFaults } from '../errors.ts'

/** Loaded on first use, like the passkeys' library. */
const library = () => import('otplib')

const buildTotpSealContext = (userId: string) => `totp ${userId}`

/** Tolerance for the clock of a phone. */
const toleranceSeconds = 30

type TotpRow = { secret: string; last_step: number; confirmed_at: Date | null }

/** A secret for the app. It counts once one of its codes was entered, and replaces an earlier pending one. */
export async function beginTotp(tx: Tx, vault: Vault, userId: string): Promise<void> {
  const { generateSecret } = await library()
  const row = await tx.one(sql`
    insert into totp_factors (user_id, secret, created_at)
    values (${userId}, ${vault.seal(generateSecret(), buildTotpSealContext(userId))}, ${tx.now})
    on conflict (user_id) do update
    set secret = excluded.secret, created_at = excluded.created_at
    where totp_factors.confirmed_at is null
    returning user_id`)
  if (!row) throw conflict('An authenticator app is already set up')
}

export type PendingTotp = { secret: string; uri: string }

/** The secret for the app, as text and as the address of a QR code. */
export async function findPendingTotp(
  db: Db,
  vault: Vault,
  { userId, email, issuer }: { userId: string; email: string; issuer: string },
): Promise<PendingTotp | null> {
  const row = await db.one<TotpRow>(sql`
    select secret
    from totp_factors
    where user_id = ${userId}
      and confirmed_at is null`)
  if (!row) return null
  const secret = vault.open(row.secret, buildTotpSealContext(userId))
  const { generateURI } = await library()
  return { secret, uri: generateURI({ issuer, label: email, secret }) }
}

/** Throws VALIDATION_ERROR for a code that is not the app's. */
export async function confirmTotp(tx: Tx, vault: Vault, userId: string, code: string, actor: Actor): Promise<void> {
  const row = await lock(tx, userId)
  if (!row || row.confirmed_at) throw notFound('App')
  const step = await verifyTimeStep(vault, userId, row, code, tx.now)
  if (step === null) throw invalid(fault('code', accountFaults.code_wrong))
  tx.later(sql`
    update totp_factors
    set confirmed_at = ${tx.now}, last_step = ${step}
    where user_id = ${userId}`)
  recordSecurityEvent(tx, { event: 'totp_set', actor, subject: actor.id })
}

/** Returns true if it is the app's current code, and unused. */
export async function useTotp(tx: Tx, vault: Vault, userId: string, code: string): Promise<boolean> {
  const row = await lock(tx, userId)
  const step = row?.confirmed_at ? await verifyTimeStep(vault, userId, row, code, tx.now) : null
  if (step === null) return false
  tx.later(sql`update totp_factors set last_step = ${step} where user_id = ${userId}`)
  return true
}

/** Returns true if the secret had been confirmed. */
export async function removeTotp(tx: Tx, userId: string, actor: Actor): Promise<boolean> {
  const row = await tx.one<TotpRow>(sql`delete from totp_factors where user_id = ${userId} returning confirmed_at`)
  if (!row) throw notFound('App')
  if (row.confirmed_at) recordSecurityEvent(tx, { event: 'totp_removed', actor, subject: actor.id })
  return row.confirmed_at !== null
}

function lock(tx: Tx, userId: string): Promise<TotpRow | undefined> {
  return tx.one<TotpRow>(sql`
    select secret, last_step, confirmed_at
    from totp_factors
    where user_id = ${userId}
    for update`)
}

/** The 30-second time step of the code, later than all used before; null if the code is wrong. */
async function verifyTimeStep(
  vault: Vault,
  userId: string,
  { secret, last_step }: TotpRow,
  code: string,
  now: Date,
): Promise<number | null> {
  const token = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const { verifySync } = await library()
  const result = verifySync({
    secret: vault.open(secret, buildTotpSealContext(userId)),
    token,
    epoch: Math.floor(now.getTime() / 1000),
    epochTolerance: toleranceSeconds,
    afterTimeStep: last_step,
  })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}
