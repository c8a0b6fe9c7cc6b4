// A refresh token that its own client presents again within 30 seconds gets the same answer once more: the first one
// was lost, or two of its windows refresh at once. The answer is sealed with the token, of which the database has only
// a hash. Later, the same request is a theft, and ends the grant.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { hashSecret, vault } from '../../kit/values/secrets.ts'
import type { TokenRecord } from './tokens.ts'

/** RFC 6749 §5.1 */
export type TokenAnswer = { access_token: string; refresh_token: string; expires_in: number }

const graceSeconds = 30
const place = 'successor'

export async function keepSuccessor(tx: Tx, refreshToken: string, answer: TokenAnswer): Promise<void> {
  await tx.rows(sql`
    update oauth_tokens
    set successor = ${vault(refreshToken).seal(JSON.stringify(answer), place)}
    where id = ${hashSecret(refreshToken)}`)
}

/** The response that the client got for this refresh token, if that was a moment ago. */
export function answerAgain(
  { kind, payload, consumed_at, successor }: TokenRecord,
  { refreshToken, clientId, now }: { refreshToken: string; clientId: string | undefined; now: Date },
): TokenAnswer | undefined {
  if (kind !== 'RefreshToken' || !consumed_at || !successor || payload.clientId !== clientId) return undefined
  const age = Math.floor((now.getTime() - consumed_at.getTime()) / 1000)
  if (age >= graceSeconds) return undefined
  const answer: TokenAnswer = JSON.parse(vault(refreshToken).open(successor, place))
  return { ...answer, expires_in: answer.expires_in - age }
}
