// Stores the key that seals secrets if SECRET_KEY is not set: a file of mode 0600 in the data directory.
import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ConfigurationError } from '../../kit/values/configuration.ts'
import { makeFolder } from './folder.ts'

export function keyFile(dataDir: string): string {
  return path.join(dataDir, 'secret.key')
}

/** Reads the key, or makes it. Two processes that make it at once get the same one. */
export async function readSecretKey(dataDir: string): Promise<string> {
  const key = await findSecretKey(dataDir)
  if (key !== null) return key
  await createOnce(keyFile(dataDir))
  return readSecretKey(dataDir)
}

/** Null if there is none. An empty, cut or overwritten file is not accepted as a key. */
export async function findSecretKey(dataDir: string): Promise<string | null> {
  const file = keyFile(dataDir)
  const text = await readFile(file, 'utf8').catch(whenMissing)
  if (text !== null && !/^[\x21-\x7e]{32,}$/.test(text.trim())) {
    const remedy = 'restore it from your backup. To give up the stored secrets instead, run: npm start -- --new-key'
    throw new ConfigurationError(`${file} does not contain a key: ${remedy}`)
  }
  return text && text.trim()
}

/** Makes another key, and keeps the old file beside it. */
export async function replaceSecretKey(dataDir: string): Promise<string> {
  const file = keyFile(dataDir)
  await rename(file, `${file}.until-${new Date().toISOString().replaceAll(':', '')}`).catch(whenMissing)
  return readSecretKey(dataDir)
}

/** Describes why others can read the file; null if only its owner can, undefined if there is no file. */
export async function faultOfKeyFile(dataDir: string): Promise<string | null | undefined> {
  const file = keyFile(dataDir)
  const stats = await stat(file).catch(whenMissing)
  if (stats === null) return undefined
  const mode = stats.mode & 0o777
  return (mode & 0o077) === 0 ? null : `${file} has mode ${mode.toString(8)}, so others can read it`
}

/** The file appears whole and durable, by a link that fails if another process was first. */
async function createOnce(file: string): Promise<void> {
  await makeFolder(path.dirname(file), 0o700)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
}

function whenMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}
