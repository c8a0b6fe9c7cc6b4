// A browser that has signed in before proves it by a cookie: other people's wrong guesses do not close its way in.
import { publicId, toUuid } from '../../kit/values/ids.ts'
import { hashSecret, randomBase62, type Vault } from '../../kit/values/secrets.ts'

export type Device = { id: string; userId: string; passwordTag: string }

export const deviceLifeSeconds = 180 * 24 * 3600

const place = 'device'

/** Only https knows the prefix that ties a cookie to its host. */
export function deviceCookie(siteUrl: string): string {
  return siteUrl.startsWith('https:') ? '__Host-stoa_device' : 'stoa_device'
}

/** A cookie's value. It is tied to the password, so a new password forgets all devices. */
export function newDevice(vault: Vault, userId: string, passwordHash: string | null): string {
  const facts = `${publicId('usr', userId)}.${randomBase62(22)}.${toPasswordTag(passwordHash)}`
  return `${facts}.${vault.sign(facts, place)}`
}

/** Null if the cookie was not made here. */
export function readDevice(vault: Vault, value: string | undefined): Device | null {
  const [user = '', id = '', passwordTag = '', proof] = value?.split('.') ?? []
  const userId = toUuid('usr', user)
  if (!userId || proof === undefined) return null
  return isSigned(vault, `${user}.${id}.${passwordTag}`, proof) ? { id, userId, passwordTag } : null
}

export function isAccountDevice(
  device: Device | null,
  account: { id: string; password_hash: string | null } | null,
): device is Device {
  return device !== null && account?.id === device.userId && toPasswordTag(account.password_hash) === device.passwordTag
}

function isSigned(vault: Vault, facts: string, proof: string): boolean {
  return hashSecret(proof).equals(hashSecret(vault.sign(facts, place)))
}

function toPasswordTag(passwordHash: string | null): string {
  return hashSecret(passwordHash ?? '')
    .toString('base64url')
    .slice(0, 16)
}
