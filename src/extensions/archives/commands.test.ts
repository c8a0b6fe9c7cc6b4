import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newDataDir } from '../../../test/server.ts'
import { newShop } from '../../../test/shop.ts'
import { stoaOn } from '../../../test/stoa.ts'
import { madeReady, send } from '../../../test/uploads.ts'
import { openWorld, secretKey } from '../../../test/world.ts'
import { withClient } from '../../platform/postgres/client.ts'

test('a store moves to another installation, and an import that is killed leaves nothing', async (t) => {
  const [from, to, dataDir, otherDir] = await Promise.all([
    newDatabase(t),
    newDatabase(t),
    newDataDir(t),
    newDataDir(t),
  ])
  const world = await openWorld({ DATA_DIR: dataDir }, { database: { url: from, drop: async () => {} } })
  const shop = await newShop(world)
  await shop.product({ name: 'Mug' })
  const { data: image } = await send(shop.api)
  await madeReady(shop.api, image.id)
  const hook = { url: 'https://hooks.example/stoa', events: ['order.created'] }
  assert.equal((await shop.api.post('/v1/webhooks', hook)).status, 201)

  const { id } = shop.store
  const words = path.join(dataDir, 'passphrase')
  writeFileSync(words, 'four words by heart\n')
  const here = stoaOn({ DATABASE_URL: from, DATA_DIR: dataDir, SECRET_KEY: secretKey })
  const there = stoaOn({ DATABASE_URL: to, DATA_DIR: otherDir, STOA_PASSPHRASE: 'four words by heart' })
  const [file, bare, again] = ['store', 'bare', 'again'].map((name) => path.join(dataDir, `${name}.zst`)) as [
    string,
    string,
    string,
  ]
  const { rows, files, bytes, ...exported } = await here.json(
    'store',
    'export',
    id,
    '--output',
    file,
    '--passphrase-file',
    words,
  )
  assert.deepEqual(exported, { id, file, has_secrets: true })
  assert.ok(files > 0)
  const plain = await here('store', 'export', id, '--output', bare).ended
  assert.match(plain.stdout, /^Exported .*: \d+ rows and \d+ image files\. Secrets are not included\.\n$/)

  await withClient(to, 'test', async (client) => {
    await client.query('begin')
    await client.query('lock table pages in exclusive mode')
    const killed = there('store', 'import', file)
    const isWaiting = `select from pg_locks where not granted and relation = 'pages'::regclass`
    while ((await client.query(isWaiting)).rowCount === 0) await sleep(20)
    killed.child.kill('SIGKILL')
    assert.equal((await killed.ended).signal, 'SIGKILL')
    await client.query('rollback')
    const isGone = `select from pg_stat_activity where application_name = 'stoa archive'`
    while ((await client.query(isGone)).rowCount! > 0) await sleep(20)
    assert.equal((await client.query('select from stores')).rowCount, 0)
    assert.equal((await client.query('select from products')).rowCount, 0)
  })
  assert.ok(!existsSync(path.join(otherDir, 'media', id)))

  const imported = await there.json('store', 'import', file)
  assert.deepEqual([imported.store.id, imported.rows, imported.files, imported.bytes], [id, rows, files, bytes])
  assert.deepEqual(imported.webhooks_without_secret, [])
  const sizes = await there.json('store', 'export', id, '--output', again)
  assert.deepEqual([sizes.rows, sizes.files, sizes.bytes], [rows, files, bytes])
  const taken = await there.refused('store', 'import', file)
  assert.deepEqual([taken.code, taken.error.code], [1, 'CONFLICT'])
  const wrong = stoaOn({ DATABASE_URL: to, DATA_DIR: otherDir, STOA_PASSPHRASE: 'other words' })
  assert.match((await wrong('store', 'import', file).ended).stderr, /the passphrase is not that of the export\n$/)
  assert.match((await there('store', 'import', words).ended).stderr, /it is not a store that Stoa exported\n$/)
  const none = await there.refused('store', 'import', `${file}.none`)
  assert.equal(none.error.message, `The file ${file}.none does not exist`)
  const lacking = await here.refused('store', 'export', 'SH-00000000', '--output', bare)
  assert.equal(lacking.error.code, 'NOT_FOUND')
})

test('an import names the people, webhooks and payment methods that are missing something', async (t) => {
  const [from, to, dataDir, otherDir] = await Promise.all([
    newDatabase(t),
    newDatabase(t),
    newDataDir(t),
    newDataDir(t),
  ])
  const here = stoaOn({ DATABASE_URL: from, DATA_DIR: dataDir })
  const { id } = (await here.json('store', 'create', '--name', 'Corner shop')).store
  const neil = [
    '--email',
    "o'neil@example.com",
    '--password',
    'correct horse battery',
    '--store',
    id,
    '--role',
    'owner',
  ]
  await here.json('user', 'create', ...neil)
  const file = path.join(dataDir, 'store.zst')
  await here.json('store', 'export', id, '--output', file)
  const there = { DATABASE_URL: to, DATA_DIR: otherDir }
  const closed = await stoaOn({ ...there, NEW_STORE_PLAN: 'none' }).refused('store', 'import', file)
  assert.match(closed.error.message, /^plan: is required, because NEW_STORE_PLAN is none/)
  const { stdout, stderr } = await stoaOn({ ...there, NEW_STORE_PLAN: 'free' })('store', 'import', file).ended
  assert.equal(stderr, '')
  assert.match(stdout, new RegExp(`^Imported Corner shop: ${id}, \\d+ rows and 0 image files. Its plan is free.\n`))
  const command = `user create --password PASSWORD --email 'o'\\''neil@example.com' --store ${id} --role owner`
  assert.equal(stdout.trimEnd().split('\n').at(-1), `  npm run -s stoa -- ${command}`)
})
