// A sign-in between the password, or a link, and the second factor: a sealed cookie,
// valid for some minutes, that another password invalidates.
import { findPasswordHash } from '../accounts/find.ts'
import type { SignIn } from '../accounts/session.ts'
import { hashSecret } from '../../kit/values/secrets.ts'
import type { SignInVisit } from './page.ts'

export const pendingLoginCookie = 'stoa_half'
export const pendingLoginSeconds = 600

export type PendingLogin = { how: SignIn['how']; userId: string; location: string }

type SealedLogin = PendingLogin & { until: number; tag: string }

const place = 'half signed in'

export async function sealPendingLogin({ db, vault }: SignInVisit, pending: PendingLogin): Promise<string> {
  const until = db.clock.now().getTime() + pendingLoginSeconds * 1000
  const tag = buildPasswordTag(await findPasswordHash(db, pending.userId))
  return vault.seal(JSON.stringify({ ...pending, until, tag } satisfies SealedLogin), place)
}

export async function openPendingLogin({ db, vault, cookies }: SignInVisit): Promise<PendingLogin | null> {
  const pending = openSealed(vault, cookies[pendingLoginCookie])
  if (!pending || pending.until < db.clock.now().getTime()) return null
  return buildPasswordTag(await findPasswordHash(db, pending.userId)) === pending.tag ? pending : null
}

function openSealed(vault: SignInVisit['vault'], value: string | undefined): SealedLogin | null {
  try {
    return value ? (JSON.parse(vault.open(value, place)) as SealedLogin) : null
  } catch {
    return null
  }
}

function buildPasswordTag(passwordHash: string | null): string {
  return hashSecret(passwordHash ?? '').toString('base64url')
}
