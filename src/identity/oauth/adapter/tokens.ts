import type { Adapter } from 'oidc-provider'
import type { Database } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { errors, Provider } from '../library.ts'
import { answerAgain } from '../successors.ts'
import { touchGrant, type TokenRecord } from '../tokens.ts'
import { writeToken } from '../tokenwrites.ts'
import { readGrantStore, withoutId } from './ids.ts'
import { readOnce, route } from './request.ts'

type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'

export function tokens(db: Database, kind: TokenKind): Partial<Adapter> {
  return {
    async upsert(value, payload, ttlSeconds) {
      const grantId = payload.grantId!
      await writeToken(db, (tx) =>
        tx.rows(
          sql`
        insert into oauth_tokens (id, kind, store_id, grant_id, payload, created_at, expires_at)
        values (${hashSecret(value)}, ${kind}, ${readGrantStore(grantId)}, ${grantId},
          ${JSON.stringify(withoutId(payload))},
                ${tx.now}, ${new Date(tx.now.getTime() + ttlSeconds! * 1000)})`,
          { oauth_tokens_grant: () => new errors.InvalidGrant('the grant was revoked') },
        ),
      )
    },
    async find(value) {
      const token = await readOnce(db, value)
      if (token?.kind !== kind) return undefined
      if (token.consumed_at && route() === 'token') {
        repeatAnswer(token, value, db.clock.now())
        refuseTwin(token.consumed_at)
      }
      if (kind !== 'AuthorizationCode' && route() !== 'revocation') touchGrant(db, token)
      return { ...token.payload, jti: value, ...(token.consumed_at ? { consumed: true } : {}) }
    },
    // If several requests present the same value, on any node, only one gets past this statement.
    async consume(value) {
      await writeToken(db, async (tx) => {
        const row = await tx.one(sql`
          update oauth_tokens
          set consumed_at = ${tx.now}
          where id = ${hashSecret(value)}
            and consumed_at is null
          returning id`)
        if (!row) throw new errors.InvalidGrant('already used')
      })
    },
    async destroy(value) {
      await db.transaction((tx) => tx.rows(sql`delete from oauth_tokens where id = ${hashSecret(value)}`))
    },
    // The library destroys the grant at the same time, and all of its tokens go with it.
    revokeByGrantId: async () => {},
  }
}

/** Ends the library's action: commitTokens sends the answer instead of the error. */
function repeatAnswer(token: TokenRecord, refreshToken: string, now: Date): void {
  const context = Provider.ctx!
  const answer = answerAgain(token, { refreshToken, clientId: context.oidc.client?.clientId, now })
  if (!answer) return
  context.state.answer = answer
  throw new errors.InvalidGrant('already used')
}

/**
 * A request that was already here when another one used the value is a duplicate (a double click, a hasty retry): it
 * gets nothing. A later one is a replay, and the library revokes the grant.
 */
function refuseTwin(consumedAt: Date): void {
  const { arrivedAt } = Provider.ctx!.req as { arrivedAt?: Date }
  if (arrivedAt && arrivedAt <= consumedAt) throw new errors.InvalidGrant('already used')
}
