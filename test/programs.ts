// Programs that tests drive and npm doesn't install: where each is, and how it is installed.
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

type Program = { names: string[]; debian: string; homebrew: string }

const chromiumNames = ['chromium', 'chromium-browser', 'google-chrome', ...macApps('Chromium', 'Google Chrome')]

// prettier-ignore
export const programs = {
  // The shell has no windows, which take twice the time.
  chromium: { names: ['chromium-headless-shell', ...chromiumNames],
                                               debian: 'chromium-headless-shell', homebrew: '--cask chromium' },
  redis:    { names: ['redis-server', 'valkey-server'],     debian: 'redis-server', homebrew: 'redis' },
  openssl:  { names: ['openssl'],                           debian: 'openssl',      homebrew: 'openssl' },
  python:   { names: ['python3'],                           debian: 'python3',      homebrew: 'python' },
  php:      { names: ['php'],                               debian: 'php-cli',      homebrew: 'php' },
  go:       { names: ['go'],                                debian: 'golang-go',    homebrew: 'go' },
} satisfies Record<string, Program>

export type ProgramName = keyof typeof programs

/** Absolute. */
export function pathOf(program: ProgramName): string {
  const found = search(programs[program])
  if (!found) throw new Error(`${program} is not installed. npm run test:deep says how to install it`)
  return found
}

export function missingPrograms(names: readonly ProgramName[]): ProgramName[] {
  return names.filter((name) => !search(programs[name]))
}

export function search({ names }: Pick<Program, 'names'>): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return names.flatMap((name) => folders.map((folder) => path.resolve(folder, name))).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Programs that macOS keeps outside the PATH. */
function macApps(...names: string[]): string[] {
  return names.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
}
