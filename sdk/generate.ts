// Writes what the SDKs take from the route table, which is not in git: `npm ci` and `npm run check` do it, and
// `npm run sdk` by itself.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { methods } from './generator/operations.ts'
import { pythonFiles } from './generator/python.ts'
import { tableFile, typesFile } from './generator/typescript.ts'

export function generated(): Record<string, string> {
  const all = methods()
  return {
    'typescript/src/types.ts': typesFile(all),
    'typescript/src/operations.ts': tableFile(all),
    ...pythonFiles(all),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of Object.entries(generated())) {
    const target = path.join(import.meta.dirname, file)
    // Others may read it meanwhile.
    if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text)
  }
}
