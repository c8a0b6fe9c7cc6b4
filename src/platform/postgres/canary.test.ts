import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newDataDir, run, startServer } from '../../../test/server.ts'
import { keyFile } from '../process/secretkey.ts'

test('a start without the key of its database exits with 78 and advises what to type, until --new-key', async (t) => {
  const dataDir = await newDataDir(t)
  const DATABASE_URL = await newDatabase(t)
  const env = { PORT: '0', DEMO: 'off', DATA_DIR: dataDir, DATABASE_URL }
  const file = keyFile(dataDir)
  const server = await startServer(dataDir, { DATABASE_URL })
  const key = await readFile(file, 'utf8')

  const wrong: [name: string, damage: () => Promise<void>, words: RegExp][] = [
    ['empty', () => writeFile(file, ''), /secret\.key does not contain a key/],
    [
      'cut short',
      () => writeFile(file, key.slice(0, 40)),
      /secret\.key is not the key that encrypted the stored secrets/,
    ],
    ['another', () => writeFile(file, 'another key, of 32 characters-and-more'.replaceAll(' ', '_')), /is not the key/],
    ['gone', () => rm(file), /secret\.key is missing/],
    ['binary', () => writeFile(file, Buffer.alloc(64, 0xfe)), /does not contain a key/],
  ]
  for (const [name, damage, words] of wrong) {
    await damage()
    const { code, stderr } = await run('src/program/main.ts', [], { env }).ended
    assert.equal(code, 78, name)
    assert.match(stderr, words, name)
    assert.match(stderr, /^Stoa did not start\. .* npm start -- --new-key\n$/, name)
  }
  const doctor = await run('src/program/cli.ts', ['doctor'], { env }).ended
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /^wrong {2}stored secrets: .*does not contain a key/m)

  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  const replaced = await startServer(dataDir, { DATABASE_URL }, ['--new-key'])
  assert.notEqual(await readFile(file, 'utf8'), key)
  assert.equal((await fetch(`${replaced.url}/readyz`)).status, 200)
  assert.equal((await fetch(`${server.url}/readyz`)).status, 503, 'the first has the key of before')
  await Promise.all([server.end(), replaced.end()])
})
