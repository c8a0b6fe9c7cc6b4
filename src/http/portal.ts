// The portal's routes behind the session cookie. They check the person, the role, and how recent the sign-in is.
import { fastifyCookie } from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Route } from '../kit/declare/route.ts'
import { ApiError, notFound, unauthenticated } from '../kit/values/errors.ts'
import { personLanguage } from '../platform/pages/language.ts'
import { isPlain } from '../platform/pages/form.ts'
import { requireOwnForm } from '../platform/pages/origin.ts'
import { mayUse, portalScope } from '../identity/accounts/roles.ts'
import {
  findSession,
  lacksSecondFactor,
  findMembership,
  sessionCookie,
  type Membership,
  type UserSession,
} from '../identity/accounts/session.ts'
import { userActor } from '../identity/accounts/user.ts'
import { isRecent } from '../identity/signin/page.ts'
import { portal } from '../identity/account/routes.ts'
import { nowhere, type SignedIn } from '../identity/account/portal.ts'
import type { PortalDeps } from '../identity/account/operations.ts'
import type { Vault } from '../kit/values/secrets.ts'
import type { Access, Guess } from './authenticate.ts'
import { mount, type MountOptions } from './mount.ts'

const requestsPerMinute = 1000
const scopes = new Set([portalScope])

export function servePortal(
  app: FastifyInstance,
  options: Pick<MountOptions, 'db' | 'limiter'> & { deps: PortalDeps & { vault: Vault } },
): void {
  const { db, deps } = options
  const authenticate = admission(db, deps.siteUrl)
  const root = new URL(deps.siteUrl).pathname.replace(/\/$/, '')
  mount<any>(app, { ...options, prefix: root + portal.prefix, routes: portal.routes, authenticate })
}

function admission(db: MountOptions['db'], siteUrl: string) {
  const { origin } = new URL(siteUrl)
  return async (request: FastifyRequest, guess: Guess, { session: requirements = {} }: Route): Promise<Access> => {
    if (!Object.values(request.params as Record<string, string>).every(isPlain)) throw notFound('Record')
    if (request.method !== 'GET') requireOwnForm(request, [origin])
    // Cached answers are per store, and these belong to a person.
    delete request.headers['idempotency-key']
    const cookies = fastifyCookie.parse(request.headers.cookie ?? '')
    const value = cookies[sessionCookie(siteUrl)]
    if (!value) throw unauthenticated('Sign in to continue')
    const session = await guess(() => requirePortalSession(db, value))
    if (requirements.isRecent && !isRecent(session, db.clock.now())) throw unauthenticated('Sign in again to continue')
    const { store: storeId } = request.params as { store?: string }
    const store = storeId === undefined ? nowhere : findMembership(session, storeId)
    const language = personLanguage(cookies, request.headers['accept-language'])
    const person: SignedIn = { session, language }
    return {
      store: store ?? nowhere,
      requireRole: () => requireRole(session, store, requirements),
      scopes,
      actor: userActor(session.user_id, { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' }),
      person,
      quota: { name: `session:${session.id}`, limit: requestsPerMinute },
    }
  }
}

async function requirePortalSession(db: MountOptions['db'], value: string): Promise<UserSession> {
  const session = await findSession(db, value)
  if (!session) throw unauthenticated('Sign in to continue')
  return session
}

/** Another person's store looks like one that does not exist. */
function requireRole(
  session: UserSession,
  store: Membership | undefined,
  { roles, scope }: NonNullable<Route['session']>,
): void {
  if (!store) throw notFound('Store')
  if (roles && !roles.some((role) => role === store.role)) {
    throw new ApiError(403, 'SCOPE_INSUFFICIENT', `This action requires the role ${roles.join(' or ')}`)
  }
  if (scope && !mayUse(store.role, scope)) {
    throw new ApiError(403, 'SCOPE_INSUFFICIENT', `This action requires a role with the scope ${scope}`)
  }
  if (lacksSecondFactor(session, store)) {
    throw new ApiError(403, 'SCOPE_INSUFFICIENT', 'This store requires two-factor authentication. Set it up first')
  }
}
