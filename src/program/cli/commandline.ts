// The command line that runs a command against this server from any folder.
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { quote } from '../../platform/process/terminal.ts'
import type { Config } from '../config.ts'

export const program = fileURLToPath(new URL('../cli.ts', import.meta.url))
// Only the npm package is compiled.
const isPackage = program.endsWith('.js')
/** systemd sets this variable for the units it starts. */
const isUnit = process.env.INVOCATION_ID !== undefined

/** `isHere` means that the reader is at the terminal of the start. People sign in at `siteUrl`. */
export function commandLine({ DATA_DIR, DATABASE_URL }: Config, siteUrl: string, isHere: boolean): string {
  if (isHere) return isPackage ? 'npx stoa' : 'npm run -s stoa --'
  const settings = [...(DATABASE_URL ? [] : [`DATA_DIR=${path.resolve(DATA_DIR)}`]), `AUTH_URL=${siteUrl}`]
  const words = ['env', ...settings, process.execPath, program]
  return (isUnit ? ['sudo', '-u', os.userInfo().username, ...words] : words).map(quote).join(' ')
}
