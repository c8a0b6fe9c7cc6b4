// Checks the key that this database's secrets are sealed with. A value that the first start seals reveals a wrong key
// before it is used: secrets sealed with another key would be lost at the next start.
import type pg from 'pg'
import { ConfigurationError } from '../../kit/values/configuration.ts'
import { vault, type Vault } from '../../kit/values/secrets.ts'
import { findSecretKey, keyFile, readSecretKey, replaceSecretKey } from '../process/secretkey.ts'
import { withClient } from './client.ts'

type KeySettings = { SECRET_KEY: string | null; DATA_DIR: string }

const connectionName = 'stoa key'
const place = 'canary'
const text = 'stoa'

/** Requires the key of this database, and makes one if there is none yet. `isNew` gives up all sealed secrets. */
export async function secretKeyFor(url: string, settings: KeySettings, { isNew = false } = {}): Promise<string> {
  return withClient(url, connectionName, async (client) => {
    if (isNew) {
      const key = settings.SECRET_KEY ?? (await replaceSecretKey(settings.DATA_DIR))
      await client.query('delete from canary')
      await leave(client, key)
      return key
    }
    const isKnown = (await read(client)) !== null
    const key = settings.SECRET_KEY ?? (await (isKnown ? findSecretKey : readSecretKey)(settings.DATA_DIR))
    if (key && !isKnown) await leave(client, key)
    // Reads again, as another node may have been the first.
    if (key && canOpen(vault(key), (await read(client))!)) return key
    throw new ConfigurationError(keyFault(settings, key))
  })
}

/** Null if there is no canary yet; otherwise what is wrong, or '' if the key fits. */
export async function faultOfKey(url: string, settings: KeySettings): Promise<string | null> {
  const ciphertext = await withClient(url, connectionName, read)
  if (ciphertext === null) return null
  const key = settings.SECRET_KEY ?? (await findSecretKey(settings.DATA_DIR))
  return key && canOpen(vault(key), ciphertext) ? '' : keyFault(settings, key)
}

export function canOpen(sealedBy: Vault, ciphertext: string): boolean {
  try {
    return sealedBy.open(ciphertext, place) === text
  } catch {
    return false
  }
}

function keyFault({ SECRET_KEY, DATA_DIR }: KeySettings, key: string | null): string {
  const subject = SECRET_KEY ? 'SECRET_KEY' : keyFile(DATA_DIR)
  const fault = key
    ? 'is not the key that encrypted the stored secrets'
    : 'is missing, so stored secrets cannot be decrypted'
  const remedy = SECRET_KEY ? 'Set it to the previous key' : 'Restore that file, or set SECRET_KEY'
  return `${subject} ${fault}. ${remedy}. To give up the stored secrets instead, run: npm start -- --new-key`
}

async function read(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ sealed: string }>('select sealed from canary')
  return rows[0]?.sealed ?? null
}

async function leave(client: pg.Client, key: string): Promise<void> {
  const values = [vault(key).seal(text, place), new Date()]
  await client.query('insert into canary (sealed, made_at) values ($1, $2) on conflict do nothing', values)
}
