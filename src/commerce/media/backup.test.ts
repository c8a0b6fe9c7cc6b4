import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import sharp from 'sharp'
import { madeReady, noisyPicture, send } from '../../../test/uploads.ts'
import { newDatabase, ownDatabase } from '../../../test/database.ts'
import { openWorld } from '../../../test/world.ts'
import { readConfig } from '../../program/config.ts'
import { sql } from '../../kit/database/sql.ts'
import { backup, restore, type BackupFiles } from '../../platform/postgres/backup.ts'
import { openLog } from '../../platform/process/log.ts'
import { openPictureBackup } from './backup.ts'
import { openImageWorker } from './imageworker.ts'
import { createStorage } from './storageconfig.ts'
import { buildPictureName, parsePictureName } from './picture.ts'
import { openSizing } from './sizing.ts'
import type { Storage } from './storage.ts'

const database = await ownDatabase()
const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-pictures-'))
after(() => rm(dataDir, { recursive: true, force: true }))
const world = await openWorld({ DATA_DIR: dataDir }, { database })
const storage = storageIn(dataDir)

test('a backup beside which a picture is deleted is whole without it', async (t) => {
  const { api } = await world.newStore()
  const { data } = await send(api)
  await madeReady(api, data.id)
  const [from, to] = await Promise.all([newFolder(t), newFolder(t)])
  const pictures = openPictureBackup(storage)
  const isGone = (name: string) => name.includes(keyPart(data.url))
  const vanishing: BackupFiles = { ...pictures, get: async (name) => (isGone(name) ? null : pictures.get(name)) }
  const file = path.join(from, 'backup')
  const [whole, less] = [
    await backup(database.url, file, '', pictures),
    await backup(database.url, file, '', vanishing),
  ]
  assert.equal(whole.files - less.files, 2)
  const read = await restore(await newDatabase(t), file, openPictureBackup(storageIn(to)))
  assert.equal(read.files, less.files)
})

test('a picture from before a size was made comes in the next larger one', async () => {
  const { api } = await world.newStore()
  const { data } = await send(api, await noisyPicture(700, 700))
  await madeReady(api, data.id)
  const folder = new URL(data.url).pathname.replace(/\/[^/]+$/, '')
  const widthOf = async (file: string) => {
    const answer = await fetch(`${world.url}${folder}/${file}`)
    return answer.ok ? (await sharp(await answer.arrayBuffer()).metadata()).width : answer.status
  }
  assert.equal(await widthOf('480.webp'), 480)
  await storage.remove([`${folder.slice('/media/'.length)}/480.webp`])
  assert.deepEqual(
    await Promise.all(['480.webp', '640.webp', '700.webp', '481.webp'].map(widthOf)),
    [640, 640, 700, 404],
  )
})

test('a picture whose sizes were ready before its row said so is ready after a restore', async () => {
  const { api, store } = await world.newStore()
  const { data } = await send(api)
  await madeReady(api, data.id)
  await world.app.db.rows(sql`update media set status = 'processing' where store_id = ${store.id}`)
  const sizing = openSizing(world.app.db, storage, openImageWorker(), openLog('silent'))
  const picture = parsePictureName(keyPart(data.url))!
  sizing.start(store.id, picture)
  await sizing.whenDone(store.id, picture)
  assert.equal((await api.get(`/v1/media/${data.id}`)).data.status, 'ready')
})

test('no other file is written than those of pictures', async (t) => {
  const to = await newFolder(t)
  const pictures = openPictureBackup(storageIn(to))
  const name = buildPictureName({ hash: 'a'.repeat(32), width: 16, height: 16, colour: '000000' })
  for (const wrong of [
    '../secret.key',
    `QN-7H3KM2PX/${name}/../../x`,
    `QN-7H3KM2PX/${name}/17.webp`,
    `../${name}/16.jpg`,
  ])
    await assert.rejects(pictures.put(wrong, Buffer.from('x')), /is not a file of a store/, wrong)
  await pictures.put(`QN-7H3KM2PX/${name}/16.jpg`, Buffer.from('x'))
  assert.ok(await stat(path.join(to, 'media', 'QN-7H3KM2PX', name, '16.jpg')))
})

function storageIn(folder: string): Storage {
  return createStorage(readConfig({ DATA_DIR: folder }))
}

function keyPart(url: string): string {
  return new URL(url).pathname.split('/')[3]!
}

async function newFolder(t: TestContext): Promise<string> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'stoa-pictures-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  return home
}
