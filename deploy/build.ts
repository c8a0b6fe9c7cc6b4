// npm pack runs this before it packs: Node strips no types below node_modules, so the package has src/ as JavaScript in
// build/, line by line the same. npm-shrinkwrap.json installs the versions of package-lock.json.
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const sharedScript = path.join('dashboard', 'assets', 'numbers.ts')
const [from, to] = [path.join(root, 'src'), path.join(root, 'build')]

rmSync(to, { recursive: true, force: true })
copyFileSync(path.join(root, 'package-lock.json'), path.join(root, 'npm-shrinkwrap.json'))
for (const file of globSync('**/*', { cwd: from, withFileTypes: true })) {
  const source = path.join(file.parentPath, file.name)
  if (!file.isFile() || file.name.endsWith('.test.ts')) continue
  const target = path.join(to, path.relative(from, source))
  mkdirSync(path.dirname(target), { recursive: true })
  if (isModule(source)) writeFileSync(target.replace(/\.ts$/, '.js'), compiled(source))
  if (!isModule(source) || isScript(source)) cpSync(source, target)
}

/** The scripts of pages are served as they are. */
function isScript(file: string): boolean {
  return file.includes(`${path.sep}assets${path.sep}`)
}

/** What the server loads, among it a script that it shares with pages. */
function isModule(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.d.ts') && (!isScript(file) || file.endsWith(sharedScript))
}

/** Imports, and the programs that processes run, have the names of the compiled files. */
function compiled(file: string): string {
  return stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(/'([\w./-]+)\.ts'/g, (text, name: string) => {
    const target = path.resolve(path.dirname(file), `${name}.ts`)
    return existsSync(target) && isModule(target) ? `'${name}.js'` : text
  })
}
