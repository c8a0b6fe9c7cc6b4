// The second factors of a person.
import { recordSecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Actor } from '../../../kit/values/actor.ts'
import type { Db, Tx } from '../../../kit/database/database.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { makeRecoveryCodes } from './recovery.ts'

export type Factors = { has_totp: boolean; passkeys: number; recovery_codes: number }

/** True if the row of `users` has a second factor. */
export const hasSecondFactor = raw(`(
      exists (
        select from totp_factors
        where totp_factors.user_id = users.id
          and totp_factors.confirmed_at is not null)
      or exists (
        select from passkeys
        where passkeys.user_id = users.id))`)

export async function findFactors(db: Db, userId: string): Promise<Factors> {
  const factors = await db.one<Factors>(sql`
    select exists (
      select from totp_factors
      where totp_factors.user_id = users.id
        and totp_factors.confirmed_at is not null
    ) as has_totp, (
      select count(*) from passkeys where passkeys.user_id = users.id
    ) as passkeys, (
      select count(*) from recovery_codes where recovery_codes.user_id = users.id
    ) as recovery_codes
    from users
    where users.id = ${userId}`)
  return factors!
}

/** Recovery codes alone do not count: they replace a lost factor. */
export function asksForSecond({ has_totp, passkeys }: Factors): boolean {
  return has_totp || passkeys > 0
}

/** A first factor comes with recovery codes. */
export async function firstRecoveryCodes(tx: Tx, userId: string, actor: Actor): Promise<string[] | null> {
  const { recovery_codes } = await findFactors(tx, userId)
  return recovery_codes === 0 ? makeRecoveryCodes(tx, userId, actor) : null
}

/** Deletes the recovery codes with the last factor: there is nothing left to replace. */
export function forgetUnneededCodes(tx: Tx, userId: string): void {
  tx.later(sql`
    delete from recovery_codes
    using users
    where recovery_codes.user_id = ${userId}
      and users.id = recovery_codes.user_id
      and not ${hasSecondFactor}`)
}

/** The operator does this for a person who has lost all factors: the password alone signs in again. */
export async function removeFactors(tx: Tx, userId: string, actor: Actor): Promise<void> {
  const deletions = await Promise.all(
    ['totp_factors', 'passkeys', 'recovery_codes'].map((table) =>
      tx.rows(sql`delete from ${raw(table)} where user_id = ${userId} returning user_id`),
    ),
  )
  if (deletions.every((rows) => rows.length === 0)) throw notFound('Second factor')
  recordSecurityEvent(tx, { event: 'factors_removed', actor, subject: publicId('usr', userId) })
}
