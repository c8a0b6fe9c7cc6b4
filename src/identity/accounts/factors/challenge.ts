// Challenges of passkeys: each proves by itself that it was made here and not long ago, so that asking for one writes
// nothing; what is kept of it is that it was answered.
import type { Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { equalSecrets, hashSecret, randomBase62, type Vault } from '../../../kit/values/secrets.ts'

export const challengeLifeSeconds = 300

const place = 'challenge of a passkey'

/** `purpose`: what its answer is good for. */
export function newChallenge(vault: Vault, purpose: string, now: Date): string {
  const facts = `${now.getTime() + challengeLifeSeconds * 1000}.${randomBase62(22)}`
  return `${facts}.${vault.sign(`${purpose} ${facts}`, place)}`
}

/** Its expiry, or null if it is not a valid challenge for this purpose. */
export function endOfChallenge(vault: Vault, purpose: string, challenge: string, now: Date): Date | null {
  const [end = '', random = '', proof = ''] = challenge.split('.')
  if (!equalSecrets(proof, vault.sign(`${purpose} ${end}.${random}`, place))) return null
  return Number(end) > now.getTime() ? new Date(Number(end)) : null
}

/** Returns false if the challenge was answered before. */
export async function answerChallenge(tx: Tx, challenge: string, end: Date): Promise<boolean> {
  const first = await tx.one(sql`
    insert into answered_challenges (hash, expires_at)
    values (${hashSecret(challenge)}, ${end})
    on conflict (hash) do nothing
    returning hash`)
  return first !== undefined
}
