// How somebody at a shell types a command for this very server: with its paths, from any folder, as it stands.
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'

const program = fileURLToPath(new URL('../cli.ts', import.meta.url))
/** What systemd sets for whatever it starts. */
const isUnit = process.env.INVOCATION_ID !== undefined

/** `isHere`: it is read on the terminal of the start, in its folder. `siteUrl` is where people sign in. */
export function commandLine({ DATA_DIR, DATABASE_URL }: Config, siteUrl: string, isHere: boolean): string {
  if (isHere) return 'npm run -s stoa --'
  const settings = [...(DATABASE_URL ? [] : [`DATA_DIR=${path.resolve(DATA_DIR)}`]), `AUTH_URL=${siteUrl}`]
  const words = ['env', ...settings, process.execPath, program]
  return (isUnit ? ['sudo', '-u', os.userInfo().username, ...words] : words).map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
