// The WebAuthn 3 ceremonies: registering a passkey and signing in with one.
import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Db, Tx } from '../../../kit/database/database.ts'
import { type Vault, equalSecrets, hashSecret, randomBase62 } from '../../../kit/values/secrets.ts'
import { listPasskeyCredentials, findPasskey, recordPasskeyUse, type NewKey, type StoredKey } from './passkey.ts'
import { sql } from '../../../kit/database/sql.ts'

/** Storage of the passkeys of a group of people. */
export type PasskeyStore = {
  /** A challenge is valid for one realm only. */
  realm: string
  listCredentials(db: Db, ownerId: string): Promise<{ id: string; transports: string[] }[]>
  find(db: Db, credentialId: Buffer): Promise<StoredKey | undefined>
  /** False if another answer with the same counter came first. */
  recordUse(tx: Tx, key: StoredKey, newCounter: number): Promise<boolean>
}

/** Passkeys of people who work in stores. */
const userKeys: PasskeyStore = {
  realm: '',
  listCredentials: listPasskeyCredentials,
  find: findPasskey,
  recordUse: recordPasskeyUse,
}

/** The site's address, to which passkeys are tied, and the vault that proves challenges. */
export type Ceremony = {
  siteUrl: string
  vault: Vault
  /** Defaults to those of users. */
  keys?: PasskeyStore
  /** The name of the site for people; by default its host. */
  name?: string
}

/** Loaded on first use: it takes a quarter of a second. */
const library = () => import('@simplewebauthn/server')

/** Browsers tie passkeys to a host name; an IP address has none. */
export function hasPasskeys(siteUrl: string): boolean {
  const { hostname, protocol } = new URL(siteUrl)
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return !isAddress && (protocol === 'https:' || hostname === 'localhost')
}

// EdDSA, ES256 and RS256 (COSE): supported by all runtimes without a warning about experiments.
const algorithms = [-8, -7, -257]

const makingFor = (userId: string, { realm }: PasskeyStore) => `${realm}make ${userId}`
const signingIn = ({ realm }: PasskeyStore) => `${realm}sign in`

export async function newKeyOptions(
  db: Db,
  { siteUrl, vault, keys = userKeys, name: site = readHostname(siteUrl) }: Ceremony,
  { userId, email, name }: { userId: string; email: string; name: string | null },
): Promise<object> {
  const existing = await keys.listCredentials(db, userId)
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: site,
    rpID: readHostname(siteUrl),
    userID: new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex')),
    userName: email,
    userDisplayName: name ?? email,
    challenge: toUtf8Bytes(newChallenge(vault, makingFor(userId, keys), db.clock.now())),
    timeout: challengeLifeSeconds * 1000,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: existing.map(({ id, transports }) => ({
      id,
      transports: transports as AuthenticatorTransport[],
    })),
    // It signs in without a user name, and verifies its holder.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Returns the new key, or null for an invalid answer. */
export async function readNewKey(tx: Tx, ceremony: Ceremony, userId: string, answer: string): Promise<NewKey | null> {
  const response = parseAnswer<RegistrationResponseJSON>(answer)
  if (!response) return null
  const { expected, isFirst } = expectAnswer(tx, ceremony, makingFor(userId, ceremony.keys ?? userKeys))
  const { verifyRegistrationResponse } = await library()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    ...expected,
    supportedAlgorithmIDs: algorithms,
  }).catch(wrong)
  if (!verified || !registrationInfo || !(await isFirst())) return null
  const { credential, credentialBackedUp } = registrationInfo
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: (credential.transports ?? []).map(String).slice(0, 10),
    isSynced: credentialBackedUp,
  }
}

/** The same for everyone: the browser offers the passkeys that it has for this site. */
export async function signInOptions({ siteUrl, vault, keys = userKeys }: Ceremony, now: Date): Promise<object> {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: readHostname(siteUrl),
    challenge: toUtf8Bytes(newChallenge(vault, signingIn(keys), now)),
    timeout: challengeLifeSeconds * 1000,
    userVerification: 'required',
  })
}

/** Returns the owner of the passkey, or null for a wrong answer. */
export async function usePasskey(tx: Tx, ceremony: Ceremony, answer: string): Promise<string | null> {
  const { keys = userKeys } = ceremony
  const response = parseAnswer<AuthenticationResponseJSON>(answer)
  const key = response && (await keys.find(tx, Buffer.from(String(response.id), 'base64url')))
  if (!response || !key) return null
  const { expected, isFirst } = expectAnswer(tx, ceremony, signingIn(keys))
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    ...expected,
    credential: {
      id: key.credential_id.toString('base64url'),
      publicKey: new Uint8Array(key.public_key),
      counter: key.counter,
      transports: key.transports as AuthenticatorTransport[],
    },
  }).catch(wrong)
  if (!verified || !authenticationInfo || !(await isFirst())) return null
  return (await keys.recordUse(tx, key, authenticationInfo.newCounter)) ? key.user_id : null
}

/** Expectations for an answer. `isFirst`, called once it was verified, tells whether its challenge is unused. */
function expectAnswer(tx: Tx, { siteUrl, vault }: Ceremony, purpose: string) {
  let answer: { challenge: string; end: Date } | null = null
  const expectations = {
    expectedOrigin: new URL(siteUrl).origin,
    expectedRPID: readHostname(siteUrl),
    requireUserVerification: true,
    expectedChallenge: (sentChallenge: string) => {
      const challenge = Buffer.from(sentChallenge, 'base64url').toString()
      const end = endOfChallenge(vault, purpose, challenge, tx.now)
      answer = end && { challenge, end }
      return end !== null
    },
  }
  const isFirst = async () => answer !== null && answerChallenge(tx, answer.challenge, answer.end)
  return { expected: expectations, isFirst }
}

/** The library throws the reason; the sender learns only that the response is invalid. */
function wrong(): { verified: false; registrationInfo?: never; authenticationInfo?: never } {
  return { verified: false }
}

const maxAnswer = 20_000

function parseAnswer<T extends { id: string }>(answer: string): T | null {
  if (answer.length > maxAnswer) return null
  try {
    const response = JSON.parse(answer) as T | null
    return typeof response === 'object' && typeof response?.id === 'string' ? response : null
  } catch {
    return null
  }
}

function readHostname(siteUrl: string): string {
  return new URL(siteUrl).hostname
}

function toUtf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text))
}

// Challenges of passkeys: each proves by itself that it was made here and not long ago, so that asking for one writes
// nothing; what is kept of it is that it was answered.

const challengeLifeSeconds = 300

const place = 'challenge of a passkey'

/** `purpose` is the use that its answer is valid for. */
function newChallenge(vault: Vault, purpose: string, now: Date): string {
  const facts = `${now.getTime() + challengeLifeSeconds * 1000}.${randomBase62(22)}`
  return `${facts}.${vault.sign(`${purpose} ${facts}`, place)}`
}

/** Its expiry, or null if it is not a valid challenge for this purpose. */
function endOfChallenge(vault: Vault, purpose: string, challenge: string, now: Date): Date | null {
  const [end = '', random = '', proof = ''] = challenge.split('.')
  if (!equalSecrets(proof, vault.sign(`${purpose} ${end}.${random}`, place))) return null
  return Number(end) > now.getTime() ? new Date(Number(end)) : null
}

/** Returns false if the challenge was answered before. */
async function answerChallenge(tx: Tx, challenge: string, end: Date): Promise<boolean> {
  const first = await tx.one(sql`
    insert into answered_challenges (hash, expires_at)
    values (${hashSecret(challenge)}, ${end})
    on conflict (hash) do nothing
    returning hash`)
  return first !== undefined
}
