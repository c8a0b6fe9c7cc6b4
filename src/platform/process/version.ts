import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

const root = new URL('../../../', import.meta.url)

/** The version of this program, and the packages that it needs. */
export const { version, dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}

let build: Promise<string> | undefined

/** Tells builds of a version apart: a hash of the modules and migrations that this process runs. */
export function readBuild(): Promise<string> {
  return (build ??= hashFiles([new URL('../../', import.meta.url), new URL('migrations/', root)]))
}

async function hashFiles(folders: readonly URL[]): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of folders) {
    const files = (await readdir(folder, { recursive: true })).toSorted()
    const own = files.filter((file) => /\.(ts|js|sql)$/.test(file) && !/\.test\.\w+$/.test(file))
    // One after the other: all at once would take 10 MB at each start.
    for (const file of own) hash.update(`${file}\n`).update(await readFile(new URL(file, folder)))
  }
  return hash.digest('hex').slice(0, 12)
}
