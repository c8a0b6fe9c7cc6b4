// Images on a full or read-only disk: a real file system of one megabyte, if this user is allowed to mount one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { noisyPicture, send } from '../../../test/uploads.ts'
import { openWorld } from '../../../test/world.ts'
import { diagnose } from '../../program/cli/doctor.ts'
import { readConfig } from '../../program/config.ts'

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-full-'))
const folder = path.join(dataDir, 'media')
await mkdir(folder)
const isMounted = mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)
after(async () => {
  if (isMounted) execFileSync('umount', ['-l', folder])
  await rm(dataDir, { recursive: true, force: true })
})
const world = await openWorld({ DATA_DIR: dataDir }, { sweeps: true })
const options = isMounted ? {} : { skip: 'only root may mount a file system' }

function mount(...args: string[]): boolean {
  try {
    execFileSync('mount', args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
const ready = async () => {
  world.clock.advance(6)
  const answer = await fetch(`${world.url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as any }
}
const doctor = async () => {
  const { json } = await diagnose(readConfig({ DATA_DIR: dataDir }), new Error('none'))
  return (json as any).findings.find(({ name }: any) => name === 'images')
}

test('an upload that a full disk has no room for is 503, and leaves no half of a file', options, async () => {
  const { api } = await world.newStore()
  writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(900_000))
  const file = await noisyPicture(400, 400)
  assert.ok(file.length > 200_000)
  for (const { status, error, headers } of await Promise.all([send(api, file), send(api, file), send(api, file)])) {
    assert.deepEqual([status, error.code, headers.get('retry-after')], [503, 'UNAVAILABLE', '1'])
  }
  assert.deepEqual(
    files().map(({ name }) => name),
    ['ballast'],
  )
  writeFileSync(path.join(folder, 'more'), Buffer.alloc(100_000))
  assert.equal((await ready()).status, 503)
  assert.match((await ready()).body.error.message, /Image storage is not writable/)
  assert.match((await doctor()).detail, /media is not writable: .*no space left/i)
  await Promise.all(['ballast', 'more'].map((name) => rm(path.join(folder, name))))
  assert.equal((await ready()).status, 200)
  assert.equal((await send(api, file)).status, 201)
})

test('pictures on a read-only disk are 503, and /readyz and doctor say so', options, async () => {
  const { api } = await world.newStore()
  assert.ok(mount('-o', 'remount,ro', folder))
  const { status, error } = await send(api)
  assert.deepEqual([status, error.code], [503, 'UNAVAILABLE'])
  assert.equal((await ready()).status, 503)
  assert.match((await doctor()).detail, /read-only/)
  assert.ok(mount('-o', 'remount,rw', folder))
  assert.equal((await ready()).status, 200)
})

test('what a killed process has left half written is removed after an hour', async () => {
  const { api } = await world.newStore()
  assert.equal((await send(api)).status, 201)
  const [old, young] = ['old', 'young'].map((name) => path.join(folder, 'drafts', name))
  for (const draft of [old!, young!]) writeFileSync(draft, 'half')
  const longAgo = Date.now() / 1000 - 2 * 60 * 60
  utimesSync(old!, longAgo, longAgo)
  await world.app.jobs.run('remove drafts of pictures')
  // Sizes of the image may be on their way.
  const left = readdirSync(path.join(folder, 'drafts'))
  assert.deepEqual([left.includes('old'), left.includes('young')], [false, true])
})
