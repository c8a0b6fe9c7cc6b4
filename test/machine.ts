// Programs that tests drive and npm doesn't install: installed on Debian as root; elsewhere named, with the command.
import { spawnSync } from 'node:child_process'
import { missingPrograms, programs, search, type ProgramName } from './programs.ts'

const patienceMs = 10 * 60_000

/** Installs what is missing where it can. Returns what is still missing. */
export function providePrograms(names: readonly ProgramName[]): ProgramName[] {
  const missing = missingPrograms(names)
  const isDebian = search({ names: ['apt-get'] }) !== undefined
  if (missing.length > 0 && isDebian && process.getuid?.() === 0) installOnDebian(missing)
  return missingPrograms(names)
}

export function installCommand(names: readonly ProgramName[]): string {
  if (process.platform === 'darwin') return names.map((name) => `brew install ${programs[name].homebrew}`).join(' && ')
  return `sudo apt-get install ${names.map((name) => programs[name].debian).join(' ')}`
}

function installOnDebian(names: readonly ProgramName[]): void {
  const packages = names.map((name) => programs[name].debian)
  process.stdout.write(`Installing programs that tests drive: ${packages.join(', ')}\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const commands = [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ]
  for (const words of commands) {
    const { status, stderr } = spawnSync('apt-get', words, { env, encoding: 'utf8', timeout: patienceMs })
    if (status !== 0) process.stderr.write(stderr)
  }
}
