// The keys that sign our webhooks. A new key signs once every agent can have read it in our
// profile; replaced keys stay published for a while (specification, "Key Rotation").
import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import type { Database, Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { computeThumbprint } from '../../platform/signatures/jwk.ts'

export type SigningKey = { id: string; privateKey: KeyObject }

type SigningKeyRow = {
  id: string
  public_key: JsonWebKey
  private_key: string
  created_at: Date
  expires_at: Date | null
}

const dayMs = 24 * 3600_000
const overlapMs = 7 * dayMs
const maxAgeMs = 90 * dayMs
/** Longer than agents may cache our profile. */
const settleMs = 10 * 60_000

/** The keys of the profile, at least one. */
export async function publishedKeys(db: Database, vault: Vault): Promise<JsonWebKey[]> {
  return (await usableKeys(db, vault)).map(({ public_key }) => public_key)
}

export async function signingKey(db: Database, vault: Vault): Promise<SigningKey> {
  const keys = await usableKeys(db, vault)
  const settledBefore = db.clock.now().getTime() - settleMs
  const { id, private_key } = keys.find(({ created_at }) => created_at.getTime() <= settledBefore) ?? keys.at(-1)!
  return { id, privateKey: createPrivateKey(openKey(vault, id, private_key)) }
}

/** The current key comes first. */
export async function findKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.rows<SigningKeyRow>(sql`
    select *
    from signing_keys
    where expires_at is null or expires_at > ${db.clock.now()}
    order by expires_at is not null, created_at desc`)
}

async function usableKeys(db: Database, vault: Vault): Promise<SigningKeyRow[]> {
  const keys = await findKeys(db)
  if (isUsable(keys, vault)) return keys
  await db.transaction((tx) => ensureKey(tx, vault))
  return findKeys(db)
}

/** Keys that were sealed with a lost secret key cannot sign anymore. */
function isUsable(keys: readonly SigningKeyRow[], vault: Vault): boolean {
  return keys.length > 0 && keys.every(({ id, private_key }) => canOpen(vault, id, private_key))
}

async function ensureKey(tx: Tx, vault: Vault): Promise<void> {
  const keys = await lockKeys(tx)
  if (!isUsable(keys, vault)) await replaceKeys(tx, vault, tx.now)
}

/** `isRevoked`: unpublishes the other keys at once, since someone else may have them. */
export async function rotateKeys(tx: Tx, vault: Vault, { isRevoked }: { isRevoked: boolean }): Promise<string> {
  await lockKeys(tx)
  return replaceKeys(tx, vault, isRevoked ? tx.now : new Date(tx.now.getTime() + overlapMs))
}

async function replaceKeys(tx: Tx, vault: Vault, expiresAt: Date): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const id = computeThumbprint(jwk)
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  await tx.rows(sql`
    update signing_keys
    set expires_at = ${expiresAt}
    where expires_at is null or expires_at > ${expiresAt}`)
  await tx.rows(sql`
    insert into signing_keys (id, public_key, private_key, created_at)
    values (${id}, ${JSON.stringify({ ...jwk, kid: id, use: 'sig', alg: 'ES256' })},
      ${vault.seal(pem, buildSealContext(id))},
      ${tx.now})`)
  return id
}

/** The lock serializes processes that need a new key: the second one finds the key of the first. */
async function lockKeys(tx: Tx): Promise<SigningKeyRow[]> {
  advisoryLock(tx, 'signing keys')
  return findKeys(tx)
}

/** Rotates a key after 90 days, and deletes keys that are no longer published. */
export function signingKeysJob(vault: Vault): JobWork {
  return {
    name: 'rotate signing keys',
    async run(tx) {
      tx.later(sql`delete from signing_keys where expires_at <= ${tx.now}`)
      const [newest] = await findKeys(tx)
      const oldest = tx.now.getTime() - maxAgeMs
      if (newest && newest.created_at.getTime() <= oldest) await rotateKeys(tx, vault, { isRevoked: false })
    },
  }
}

function openKey(vault: Vault, id: string, ciphertext: string): string {
  return vault.open(ciphertext, buildSealContext(id))
}

function canOpen(vault: Vault, id: string, ciphertext: string): boolean {
  try {
    openKey(vault, id, ciphertext)
    return true
  } catch {
    return false
  }
}

function buildSealContext(id: string): string {
  return `signing_keys ${id}`
}
