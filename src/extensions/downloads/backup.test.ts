import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { newDatabase, ownDatabase } from '../../../test/database.ts'
import { dataOf, newShop } from '../../../test/shop.ts'
import { sendDownload } from '../../../test/uploads.ts'
import { openWorld } from '../../../test/world.ts'
import { openPictureBackup } from '../../commerce/media/backup.ts'
import { folderStorage } from '../../commerce/media/folder.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { backup, restore } from '../../platform/postgres/backup.ts'

const database = await ownDatabase()
const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-downloads-'))
after(() => rm(dataDir, { recursive: true, force: true }))
const world = await openWorld({ DATA_DIR: dataDir }, { database })

test('a backup has the files, and no file with another name', async (t) => {
  const shop = await newShop(world)
  const sent = dataOf(await sendDownload(shop.api, { product_id: (await shop.product()).id }), 201)
  const files = openPictureBackup(folderStorage(path.join(dataDir, 'media')))
  const backupFile = path.join(dataDir, 'backup')
  const { files: count } = await backup(database.url, backupFile, '', files)
  assert.equal(count, 1)
  const restored = path.join(dataDir, 'restored')
  const into = openPictureBackup(folderStorage(restored))
  assert.equal((await restore(await newDatabase(t), backupFile, into)).files, 1)
  const key = `${shop.store.id}/downloads/${toUuid('dlf', sent.id)}`
  assert.equal(await readFile(path.join(restored, key), 'utf8'), 'How to use it')
  const strange = [`${key}/x`, `${shop.store.id}/downloads/../x`, `../downloads/${toUuid('dlf', sent.id)}`, `x/${key}`]
  for (const name of strange) await assert.rejects(into.put(name, Buffer.from('x')), /not a file of a store/, name)
})

test('a deleted file is removed from the storage, and one without a row after an hour', async () => {
  const shop = await newShop(world)
  const sent = dataOf(await sendDownload(shop.api, { product_id: (await shop.product()).id }), 201)
  const storage = folderStorage(path.join(dataDir, 'media'))
  const key = `${shop.store.id}/downloads/${toUuid('dlf', sent.id)}`
  world.clock.advance(2 * 60 * 60)
  await world.app.jobs.run('downloads: remove files')
  assert.ok(await storage.get(key))
  dataOf(await shop.api.delete(`/v1/downloads/files/${sent.id}`), 200)
  await world.app.jobs.run('downloads: remove files')
  assert.equal(await storage.get(key), null)
})
