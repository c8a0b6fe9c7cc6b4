import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { createDemo } from '../../demo/firststore.ts'
import { backup, restore } from './backup.ts'
import { verifyBackup } from './backupreader.ts'
import { readParts } from './backupfile.ts'

const inflate = promisify(zstdDecompress)

// Texts that could break a text format.
const awkward = ['\\.', 'a\nb\r\nc\td', '\\N', '', 'ñ 日本 🧺', "it's \\\\.\n\\.\n", '{"table":"stores"}']

test('a restored backup is the same in every table', async (t) => {
  const [from, to, file] = await Promise.all([filled(t), newDatabase(t), newFile(t)])
  await createDemo(from, { secretKey: 'a key of the tests, 32 characters', baseUrl: 'https://shop.example' })
  const written = await backup(from, file, 'sealed')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal(written.bytes, (await stat(file)).size)
  assert.deepEqual(await readdir(path.dirname(file)), ['backup.gz'])

  const { header, ...verified } = await verifyBackup(file)
  assert.deepEqual([verified, header.seal], [written, 'sealed'])
  assert.deepEqual(await restore(to, file), { ...written, seal: 'sealed' })
  const [before, after] = await Promise.all([contentOf(from), contentOf(to)])
  assert.deepEqual(after, before)
  const schemas = await Promise.all([schemaOf(from), schemaOf(to)])
  assert.deepEqual(schemas[1], schemas[0])
  assert.equal(before.get('stores')!.length, awkward.length + 1)
  assert.ok(before.get('orders')!.length > 30)
})

test('only an empty database is restored into', async (t) => {
  const [from, file] = await Promise.all([filled(t), newFile(t)])
  await backup(from, file, '')
  await assert.rejects(restore(from, file), /The database is not empty/)
})

test('a backup of a later version is rejected with its version', async (t) => {
  const [from, to, file] = await Promise.all([filled(t), newDatabase(t), newFile(t)])
  await query(from, "insert into migrations (name, checksum) values ('9999_later', '')")
  await backup(from, file, '')
  const reason = /it was made by version 0\.2\.0 \(build [0-9a-f]{12}\), whose tables this version does not know/
  await assert.rejects(restore(to, file), reason)
  await assert.rejects(verifyBackup(file), reason)
})

test('a damaged backup restores nothing', async (t) => {
  const [from, to, file] = await Promise.all([filled(t), newDatabase(t), newFile(t)])
  await backup(from, file, '')
  const whole = await readFile(file)
  const text = zstdDecompressSync(whole).toString()
  const inStores = text.indexOf('\n', text.indexOf('"table":"stores"')) + 20
  const damages: [what: string, bytes: Buffer, reason: RegExp][] = [
    ['cut', whole.subarray(0, whole.length - 200), /cannot be restored/],
    ['cut between two tables', gzipSync(text.slice(0, text.lastIndexOf('\n{"end"') + 1)), /it is incomplete/],
    ['cut in the middle of a table', gzipSync(text.slice(0, inStores)), /in the middle of a table/],
    ['with a row less', gzipSync(text.replace(/"plans":4/, '"plans":5')), /it is incomplete/],
    [
      'with a table that is none',
      gzipSync(text.replace('"table":"plans"', '"table":"secrets; drop table stores"')),
      /unknown table/,
    ],
    [
      'with a key of no store',
      gzipSync(text.replace(/^QA-00000000(?=\t[0-9a-f-]{36}\t)/m, 'QX-00000000')),
      /cannot be restored: .*foreign key/,
    ],
    ['another file', Buffer.from('hello'), /cannot be restored/],
    ['another gzip file', gzipSync('hello\n'), /not a Stoa backup/],
    ['empty', gzipSync(''), /it is incomplete/],
  ]
  const needsDatabase = ['with a table that is none', 'with a key of no store']
  for (const [what, bytes, reason] of damages) {
    await writeFile(file, bytes)
    await assert.rejects(restore(to, file), reason, what)
    if (!needsDatabase.includes(what)) await assert.rejects(verifyBackup(file), reason, what)
    assert.deepEqual(await query(to, 'select count(*)::int as count from stores'), [{ count: 0 }], what)
    assert.deepEqual(await query(to, 'select count(*)::int as count from plans'), [{ count: 4 }], what)
  }
})

test('a changed byte anywhere in a backup is found without a database', async (t) => {
  const [from, file] = await Promise.all([newDatabase(t), newFile(t)])
  await backup(from, file, '')
  const bytes = await readFile(file)
  const whole = await inflate(bytes)
  assert.ok(bytes.length > 1000)
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 0xff
    await writeFile(file, damaged)
    const [verified, text] = await Promise.allSettled([verifyBackup(file), inflate(damaged)])
    // A few bits of a compressed file say nothing: what it contains is then the same.
    const isSame = text.status === 'fulfilled' && text.value.equals(whole)
    assert.equal(verified.status, isSame ? 'fulfilled' : 'rejected', `byte ${at}`)
  }
})

test('an older backup, compressed by gzip, is restored', async (t) => {
  const [from, to, file] = await Promise.all([filled(t), newDatabase(t), newFile(t)])
  const { rows } = await backup(from, file, 'sealed')
  await writeFile(file, gzipSync(zstdDecompressSync(await readFile(file))))
  assert.equal((await verifyBackup(file)).rows, rows)
  assert.equal((await restore(to, file)).rows, rows)
})

test('the draft of a killed backup is removed by the next one, that of a running one is not', async (t) => {
  const [from, file] = await Promise.all([newDatabase(t), newFile(t)])
  const ended = spawnSync(process.execPath, ['-e', '']).pid
  for (const pid of [ended, process.ppid]) await writeFile(`${file}.draft-${pid}`, 'half')
  await backup(from, file, '')
  assert.deepEqual(await readdir(path.dirname(file)), ['backup.gz', `backup.gz.draft-${process.ppid}`])
})

test('a file without line ends is rejected after its first megabyte', async () => {
  let chunks = 0
  async function* endless() {
    for (; chunks < 1000; chunks++) yield Buffer.alloc(64 * 1024, 'x')
  }
  await assert.rejects(Array.fromAsync(readParts(endless())), /not a Stoa backup/)
  assert.ok(chunks < 20, `${chunks} chunks were read`)
})

test('a backup that fails leaves the previous one as it is', async (t) => {
  const file = await newFile(t)
  await writeFile(file, 'the one before')
  await assert.rejects(backup('postgresql://127.0.0.1:1/stoa', file, ''))
  assert.equal(await readFile(file, 'utf8'), 'the one before')
  assert.deepEqual(await readdir(path.dirname(file)), ['backup.gz'])
})

test('a full disk during a backup is reported; the previous backup stays, and no half file is left', async (t) => {
  const file = await newFile(t)
  await writeFile(file, 'the one before')
  // The file of this process's draft is on a device that is always full.
  await symlink('/dev/full', `${file}.draft-${process.pid}`)
  await assert.rejects(
    backup(await filled(t), file, ''),
    /^Error: The disk of .* is full\. Nothing was written to .*\.gz$/,
  )
  assert.equal(await readFile(file, 'utf8'), 'the one before')
  assert.deepEqual(await readdir(path.dirname(file)), ['backup.gz'])
})

test('identity columns continue behind the restored rows', async (t) => {
  const [from, to, file] = await Promise.all([filled(t), newDatabase(t), newFile(t)])
  const write = (url: string) =>
    query(
      url,
      `insert into unnumbered_events (store_id, event_uuid)
      select 'XX-00000001', gen_random_uuid() from generate_series(1, 3)
      returning position::int`,
    )
  assert.deepEqual(await write(from), [{ position: 1 }, { position: 2 }, { position: 3 }])
  await backup(from, file, '')
  await restore(to, file)
  assert.deepEqual(await write(to), [{ position: 4 }, { position: 5 }, { position: 6 }])
  // Every sequence is a column's own: restore finds it by the column.
  const foreign = await query(
    to,
    `select relname
    from pg_class
    where relkind = 'S'
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'i')`,
  )
  assert.deepEqual(foreign, [])
})

test('the parts are read the same however the text is cut into chunks', async () => {
  const text = Buffer.from(
    '{"a":1}\n{"table":"x"}\n1\t\\\\.\n2\t.\n\\.\n{"table":"none"}\n\\.\n{"file":"a","bytes":4}\n\n\\.\n{"end":true}\n',
  )
  for (let size = 1; size <= text.length; size++) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.subarray(at * size, (at + 1) * size),
    )
    const read: unknown[] = []
    for await (const { line, rows, bytes } of readParts(asyncOf(chunks))) {
      read.push(line)
      const content = rows ?? bytes
      if (content) read.push(Buffer.concat(await Array.fromAsync(content)).toString())
    }
    assert.deepEqual(
      read,
      [
        { a: 1 },
        { table: 'x' },
        '1\t\\\\.\n2\t.\n',
        { table: 'none' },
        '',
        { file: 'a', bytes: 4 },
        '\n\\.\n',
        { end: true },
      ],
      `chunks of ${size}`,
    )
  }
})

async function* asyncOf(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

async function filled(t: TestContext): Promise<string> {
  const url = await newDatabase(t)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query("update plans set name = 'Own name' where id = 'growth'")
  for (const [n, text] of awkward.entries()) {
    const id = `QA-0000000${n}`
    const now = new Date('2026-11-21T10:00:00.123Z')
    await client.query(
      `
      insert into stores
        (id, name, slug, description, currency, country_code, timezone, plan_id, created_at, updated_at)
      values ($1, $2, $3, $2, 'USD', 'US', 'UTC', 'growth', $4, $4)`,
      [id, text, `shop-${n}`, now],
    )
    await client.query('insert into store_counters (store_id) values ($1)', [id])
    const hash = Buffer.from([0, 92, 10, 255, n])
    await client.query(
      `
      insert into api_keys (store_id, id, name, mode, hash, last4, scopes, created_at, updated_at)
      values ($1, gen_random_uuid(), $2, 'live', $3, 'abcd', $4, $5, $5)`,
      [id, text, hash, awkward, now],
    )
  }
  await client.end()
  return url
}

/** Table → its rows as text, including generated columns. */
async function contentOf(url: string): Promise<Map<string, string[]>> {
  const tables = await query(
    url,
    `
    select relname
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind = 'r'`,
  )
  const content = new Map<string, string[]>()
  for (const { relname } of tables) {
    if (relname === 'migrations') continue
    const rows = await query(url, `select row_to_json(one)::text as text from "${relname}" as one`)
    content.set(relname as string, rows.map(({ text }) => text as string).sort())
  }
  return content
}

/** Indexes and constraints, which a restore drops and makes again. */
function schemaOf(url: string): Promise<Record<string, unknown>[]> {
  return query(
    url,
    `select indexdef as definition from pg_indexes where schemaname = 'public'
    union all
    select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
    from pg_constraint
    order by definition`,
  )
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function newFile(t: TestContext): Promise<string> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'stoa-backup-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  return path.join(home, 'backup.gz')
}
