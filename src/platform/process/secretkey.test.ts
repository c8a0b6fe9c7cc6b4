import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { faultOfKeyFile, keyFile, readSecretKey, replaceSecretKey } from './secretkey.ts'

test('the key is made once, of 256 random bits, in a file that only its owner reads', async (t) => {
  const dataDir = path.join(await newHome(t), 'data')
  const keys = await Promise.all([readSecretKey(dataDir), readSecretKey(dataDir), readSecretKey(dataDir)])
  assert.match(keys[0], /^[\w-]{43}$/)
  assert.equal(new Set(keys).size, 1)
  assert.equal(await readSecretKey(dataDir), keys[0])
  assert.equal((await stat(keyFile(dataDir))).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(dataDir), ['secret.key'])
})

test('an emptied key file is reported, and no new key replaces it', async (t) => {
  const dataDir = await newHome(t)
  await writeFile(keyFile(dataDir), '\n')
  await assert.rejects(readSecretKey(dataDir), /secret\.key does not contain a key/)
})

test('a file of other bytes is no key, and another key is made only on request', async (t) => {
  const dataDir = await newHome(t)
  for (const wrong of ['', 'short', 'a key\0of thirty-two bytes and more', '\ufffd'.repeat(40)]) {
    await writeFile(keyFile(dataDir), wrong)
    await assert.rejects(readSecretKey(dataDir), /does not contain a key.* npm start -- --new-key/)
  }
  const key = await replaceSecretKey(dataDir)
  assert.match(key, /^[\w-]{43}$/)
  assert.equal((await readdir(dataDir)).length, 2)
})

test('a key file that others can read is a fault', async (t) => {
  const dataDir = await newHome(t)
  assert.equal(await faultOfKeyFile(dataDir), undefined)
  await readSecretKey(dataDir)
  assert.equal(await faultOfKeyFile(dataDir), null)
  await chmod(keyFile(dataDir), 0o644)
  assert.match((await faultOfKeyFile(dataDir))!, /has mode 644, so others can read it/)
})

async function newHome(t: TestContext): Promise<string> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'stoa-key-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  return home
}
