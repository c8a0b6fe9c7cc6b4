// Writes a starter: a webhook receiver and a page with tests against a fork, beside the SDK. It needs Node alone.
import { cp, mkdir, readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { conflict } from '../../kit/values/errors.ts'
import { runCommand } from './output.ts'

const resolveFolder = (place: string) => fileURLToPath(new URL(`../../../${place}`, import.meta.url))

export function initCommand(program: Command): void {
  program
    .command('init [folder]')
    .description('Write a starter app in TypeScript: a webhook receiver, a page, and tests against a fork')
    .action(async (folder: string = 'my-stoa-app') => {
      await runCommand(program, 'writes files', async () => {
        const files = await writeStarter(path.resolve(folder))
        const place = path.relative(process.cwd(), path.resolve(folder)) || '.'
        const text = [`Wrote a starter to ${place}. Next:`, `cd ${place} && cp .env.example .env`, 'npm test'].join(
          '\n',
        )
        return { json: { folder: path.resolve(folder), files }, text }
      })
    })
}

async function writeStarter(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw conflict(`${folder} is not empty. Choose another folder`)
  await cp(resolveFolder('deploy/starter'), folder, { recursive: true })
  await cp(resolveFolder('sdk/typescript/src'), path.join(folder, 'stoa'), { recursive: true })
  // npm leaves out files with such names.
  await rename(path.join(folder, 'env.example'), path.join(folder, '.env.example'))
  return (await readdir(folder, { recursive: true })).sort()
}
