// Somebody who has given the password, or opened a link, and whose second factor is still asked for: a sealed cookie,
// for some minutes, that another password makes worthless.
import { findPasswordHash } from '../accounts/find.ts'
import type { SignIn } from '../accounts/session.ts'
import { hashSecret } from '../../kit/values/secrets.ts'
import type { Visit } from './page.ts'

export const halfCookie = 'stoa_half'
export const halfLifeSeconds = 600

export type Half = { how: SignIn['how']; userId: string; location: string }

type Sealed = Half & { until: number; tag: string }

const place = 'half signed in'

export async function sealHalf({ db, vault }: Visit, half: Half): Promise<string> {
  const until = db.clock.now().getTime() + halfLifeSeconds * 1000
  const tag = tagOf(await findPasswordHash(db, half.userId))
  return vault.seal(JSON.stringify({ ...half, until, tag } satisfies Sealed), place)
}

export async function openHalf({ db, vault, cookies }: Visit): Promise<Half | null> {
  const half = opened(vault, cookies[halfCookie])
  if (!half || half.until < db.clock.now().getTime()) return null
  return tagOf(await findPasswordHash(db, half.userId)) === half.tag ? half : null
}

function opened(vault: Visit['vault'], value: string | undefined): Sealed | null {
  try {
    return value ? (JSON.parse(vault.open(value, place)) as Sealed) : null
  } catch {
    return null
  }
}

function tagOf(passwordHash: string | null): string {
  return hashSecret(passwordHash ?? '').toString('base64url')
}
