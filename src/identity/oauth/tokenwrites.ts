// Collects the writes of a token request and commits them at its end. The library consumes a code or a refresh token
// before it has checked everything: a request rejected later would have spent its code, and ended the grant.
import type { KoaContextWithOIDC } from 'oidc-provider'
import { errors, Provider } from './library.ts'
import { answerAgain, keepSuccessor, type TokenAnswer } from './successors.ts'
import { findToken } from './tokens.ts'
import type { Database, Tx } from '../../kit/database/database.ts'

type TokenWrite = (tx: Tx) => Promise<unknown>
const writesByContext = new WeakMap<object, TokenWrite[]>()

/** Queues the write until the end of a token request; elsewhere writes at once. */
export async function writeToken(db: Database, write: TokenWrite): Promise<void> {
  const writes = Provider.ctx && writesByContext.get(Provider.ctx)
  if (writes) writes.push(write)
  else await db.transaction(write)
}

/** Wraps the library's actions: commits the writes of a granted request, and drops those of a refused one. */
export function commitTokens(db: Database) {
  return async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (context.path !== '/oauth/token') return next()
    const writes: TokenWrite[] = []
    writesByContext.set(context, writes)
    await next()
    if (context.state.answer) return answerWith(context, context.state.answer)
    if (context.status !== 200) return
    const { RotatedRefreshToken: newToken } = context.oidc.entities
    const refreshToken = context.oidc.params?.refresh_token as string
    try {
      await db.transaction(async (tx) => {
        for (const write of writes) await write(tx)
        if (newToken) await keepSuccessor(tx, refreshToken, context.body as TokenAnswer)
      })
    } catch (error) {
      const answer = newToken && (await answerOfOtherNode(db, context, refreshToken))
      if (answer) answerWith(context, answer)
      else refuse(context, error as Error)
    }
  }
}

/** Handles another node that used the refresh token at the same moment. */
async function answerOfOtherNode(db: Database, { oidc }: KoaContextWithOIDC, refreshToken: string) {
  const token = await findToken(db, refreshToken)
  const clientId = oidc.client?.clientId
  return token && answerAgain(token, { refreshToken, clientId, now: db.clock.now() })
}

function answerWith(context: KoaContextWithOIDC, answer: TokenAnswer): void {
  context.status = 200
  context.body = answer
}

function refuse(context: KoaContextWithOIDC, error: Error): void {
  const isRefusal = error instanceof errors.OIDCProviderError
  if (!isRefusal) context.oidc.provider.emit('server_error', context, error)
  const { statusCode, message, error_description } = isRefusal
    ? error
    : { statusCode: 500, message: 'server_error', error_description: 'oops! something went wrong' }
  context.status = statusCode
  context.body = { error: message, error_description }
}
