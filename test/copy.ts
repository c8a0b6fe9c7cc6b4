// A copy of the repository, for tests that change it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { root } from './server.ts'

/** The files that git knows, and those that it would. */
export async function copyRepository(): Promise<string> {
  const copy = await mkdtemp(path.join(os.tmpdir(), 'stoa-copy-'))
  after(() => rm(copy, { recursive: true, force: true }))
  const listed = await promisify(execFile)('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  })
  const names = listed.stdout.split('\0').filter((name) => name !== '')
  for (const folder of new Set(names.map((name) => path.dirname(name)))) {
    await mkdir(path.join(copy, folder), { recursive: true })
  }
  // One that is deleted but not committed is still listed.
  await Promise.all(names.map((name) => copyFile(path.join(root, name), path.join(copy, name)).catch(() => {})))
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** Lines with a space are in the file, each once; those with a minus go, and those with a plus come behind them. */
export async function edit(file: string, lines: readonly string[]): Promise<void> {
  const text = (await readFile(file, 'utf8')).split('\n')
  let place = -1
  for (const line of lines) {
    const own = line.slice(1)
    if (line.startsWith('+')) text.splice(++place, 0, own)
    else {
      assert.equal(text.filter((other) => other === own).length, 1, `${file} has once: ${own}`)
      place = text.indexOf(own)
      if (line.startsWith('-')) text.splice(place--, 1)
    }
  }
  await writeFile(file, text.join('\n'))
}
