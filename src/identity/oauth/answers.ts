// Adjusts the responses of oidc-provider where the contract and the RFCs differ from the library. It wraps each of the
// library's actions.
import type { KoaContextWithOIDC } from 'oidc-provider'
import { errors } from './library.ts'
import { isDatabaseAway } from '../../kit/database/errors.ts'
import { ApiError } from '../../kit/values/errors.ts'
import { readAuthorizationRequest } from './authorizationrequest.ts'
import { offlineAccess, registrationAnswer } from './registration.ts'

type AnswerBody = Record<string, unknown>

export async function answerFilter(context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  readAuthorizationRequest(context)
  await next()
  const filter = filters[context.oidc?.route ?? '']
  if (filter) filter(context, (context.body ?? {}) as AnswerBody)
  if (context.status >= 500 && isPassing(context.state.failure)) answerUnavailable(context)
}

/** The database is unavailable, or too many calls wait for it. */
function isPassing(failure: unknown): boolean {
  return failure instanceof ApiError ? failure.status === 503 : isDatabaseAway(failure)
}

/** Records errors that the library reports as server_error, for the filter and the log. */
export function noteFailure(context: KoaContextWithOIDC, error: unknown): void {
  context.state.failure = error
}

// RFC 6749 §5.2, without saying which of these it was.
const invalidGrant =
  'The authorization code or refresh token is unknown, expired, revoked, already used, or does not match the request'

const filters: Record<string, (context: KoaContextWithOIDC, body: AnswerBody) => void> = {
  registration(context, body) {
    if (context.status === 201) context.body = registrationAnswer(body)
  },
  discovery(context, body) {
    context.body = serverMetadata(body)
  },
  token(context, body) {
    if (body.error === 'invalid_grant') body.error_description = invalidGrant
    requireClient(context, body)
  },
  revocation(context, body) {
    // RFC 7009 §2.2: a value that cannot be one of our tokens is an unknown token.
    if (body.error === 'unsupported_token_type') Object.assign(context, { status: 200, body: '' })
    requireClient(context, body)
  },
  introspection(context, body) {
    const { client } = context.oidc
    if (body.error === 'unsupported_token_type') Object.assign(context, { status: 200, body: { active: false } })
    if (context.status === 400 && context.oidc.params && !client) rejectClient(context)
    else if (client?.clientAuthMethod === 'none' && context.status < 500) rejectClient(context)
    else requireClient(context, body)
    // RFC 7662 §2.2 allows more members; the contract does not.
    if (context.status === 200) context.body = introspectionAnswer(context.body as AnswerBody)
  },
}

/** RFC 6749 §5.2: no authentication, or one that cannot be read, is invalid_client; two are invalid_request. */
function requireClient(context: KoaContextWithOIDC, body: AnswerBody): void {
  const unread = /^(no client auth|invalid authorization header|client_id and client_secret|client_secret must)/
  if (context.status === 400 && unread.test(String(body.error_description))) rejectClient(context)
  if (context.status === 401) challenge(context)
}

function rejectClient(context: KoaContextWithOIDC): void {
  const { message, error_description } = new errors.InvalidClientAuth()
  context.status = 401
  context.body = { error: message, error_description }
  challenge(context)
}

function challenge(context: KoaContextWithOIDC): void {
  context.set('www-authenticate', `Basic realm="${context.oidc.issuer}", error="invalid_client"`)
}

const claims = ['active', 'scope', 'client_id', 'sub', 'exp', 'iat', 'token_type', 'aud', 'iss', 'service_store_id']

function introspectionAnswer(body: AnswerBody): AnswerBody {
  if (body.active !== true) return { active: false }
  return Object.fromEntries(claims.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]))
}

/** RFC 8414 §2, without the OpenID Connect members. */
function serverMetadata(body: AnswerBody): AnswerBody {
  const names = [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
    'introspection_endpoint',
    'scopes_supported',
    'response_types_supported',
    'grant_types_supported',
    'token_endpoint_auth_methods_supported',
    'code_challenge_methods_supported',
    'authorization_response_iss_parameter_supported',
    'client_id_metadata_document_supported',
  ]
  const confidential = ['client_secret_basic', 'client_secret_post']
  return {
    ...Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]])),
    scopes_supported: [...(body.scopes_supported as string[]).filter((scope) => scope !== 'openid'), offlineAccess],
    response_modes_supported: ['query', 'fragment'],
    revocation_endpoint_auth_methods_supported: body.token_endpoint_auth_methods_supported,
    introspection_endpoint_auth_methods_supported: confidential,
  }
}

function answerUnavailable(context: KoaContextWithOIDC): void {
  const { body } = context
  context.set('retry-after', '1')
  const isPage = typeof body === 'string'
  const busy = { error: 'temporarily_unavailable', error_description: 'The service is busy or starting' }
  context.body = isPage ? body : busy
  context.status = 503
}
