// The wheel of the Python package, unpacked into an empty folder: that is all that installing it does.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { pathOf } from '../programs.ts'
import { root } from '../server.ts'
import { run } from './packed.ts'

// Debian's, whatever else is installed.
export const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : pathOf('python')!

export async function installedWheel(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-wheel-'))
  after(() => rm(folder, { recursive: true, force: true }))
  await run(python, ['-B', path.join(root, 'sdk/python/backend.py'), folder])
  await run(python, ['-m', 'zipfile', '-e', path.join(folder, wheelName), folder])
  return folder
}

export const wheelName = 'stoa_sdk-0.2.0-py3-none-any.whl'

/** Runs a program that finds the package, and nothing else of this tree or of the machine. */
export function isolated(folder: string, program: string): string {
  return `
import runpy, sys
sys.path.insert(0, ${JSON.stringify(folder)})
sys.argv = [${JSON.stringify(path.basename(program))}, *sys.argv[1:]]
runpy.run_path(${JSON.stringify(program)}, run_name="__main__")`
}
