// The TypeScript package as npm packs it, installed into an empty folder.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { newUuid } from '../../src/kit/values/ids.ts'
import { root } from '../server.ts'

export const run = promisify(execFile)
export const compiler = path.join(root, 'node_modules/typescript/bin/tsc')

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  types: [],
  rootDir: '.',
  outDir: 'built',
}

/** The folder; its programs are compiled against the types of the package alone. */
export async function installedPackage(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'stoa-sdk-'))
  // Below the root, where npm finds the compiler.
  const source = path.join(root, 'node_modules', '.cache', `sdk-${newUuid()}`)
  after(() => Promise.all([folder, source].map((each) => rm(each, { recursive: true, force: true }))))
  await cp(path.join(root, 'sdk/typescript'), source, { recursive: true, filter: (file) => !/\/dist$/.test(file) })
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source })
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const pack = 'stoa-commerce-sdk-0.2.0.tgz'
  await run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', `./${pack}`], { cwd: folder })
  return folder
}

/** Compiles the programs of the folder; the compiler's complaints, which are none. */
export async function complaintsOf(folder: string, programs: Record<string, string>): Promise<string> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(programs)) await writeFile(path.join(folder, name), text)
  const { stdout } = await run(process.execPath, [compiler, '-p', '.'], { cwd: folder }).catch((error) => error)
  return stdout
}
