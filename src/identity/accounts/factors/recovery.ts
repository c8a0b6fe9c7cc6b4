// Recovery codes, for people who have lost their other factors. Each works once.
import { randomInt } from 'node:crypto'
import { recordSecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Actor } from '../../../kit/values/actor.ts'
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'

const count = 10
// 16 letters of 32 are 80 bits: their plain hash gives nothing away.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const [groups, groupLength] = [4, 4]

/** Only this response has the codes; earlier ones stop working. */
export async function makeRecoveryCodes(tx: Tx, userId: string, actor: Actor): Promise<string[]> {
  const codes = Array.from({ length: count }, newCode)
  tx.later(sql`delete from recovery_codes where user_id = ${userId}`)
  await tx.rows(sql`
    insert into recovery_codes (user_id, hash)
    select ${userId}::uuid, unnest(${codes.map(hashRecoveryCode)}::bytea[])`)
  recordSecurityEvent(tx, { event: 'recovery_codes_made', actor, subject: actor.id })
  return codes
}

/** The number of codes left, or null if the code is not one of them. */
export async function useRecoveryCode(tx: Tx, userId: string, code: string): Promise<number | null> {
  const row = await tx.one(sql`
    delete from recovery_codes
    where user_id = ${userId}
      and hash = ${hashRecoveryCode(code)}
    returning user_id`)
  if (!row) return null
  const remaining = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from recovery_codes
    where user_id = ${userId}`)
  return remaining!.count
}

function newCode(): string {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** Accepts common misreadings: o for 0, l or i for 1, with or without hyphens. */
function hashRecoveryCode(code: string): Buffer {
  const plain = code.toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return hashSecret(plain.replaceAll(/[^0-9a-z]/g, ''))
}
