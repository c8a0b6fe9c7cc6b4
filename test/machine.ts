// Runs before `npm test`: installs what the tests drive beyond npm where it may, on Debian as root; else says what to
// type, and nothing is tested.
import { spawnSync } from 'node:child_process'
import { missingPrograms, search } from './programs.ts'

const isDebian = search({ names: ['apt-get'] }) !== undefined
if (missingPrograms().length > 0 && isDebian && process.getuid?.() === 0) installOnDebian()

const missing = missingPrograms()
if (missing.length > 0) {
  const names = missing.map(({ names: [name] }) => name).join(', ')
  process.stderr.write(`The tests need ${names}, which this machine lacks. Type: ${command()}\n`)
  process.exitCode = 1
}

function installOnDebian(): void {
  const packages = missingPrograms().map(({ debian }) => debian)
  process.stdout.write(`Installing what the tests drive: ${packages.join(', ')}\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const commands = [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ]
  for (const words of commands) {
    const { status, stderr } = spawnSync('apt-get', words, { env, encoding: 'utf8' })
    if (status !== 0) process.stderr.write(stderr)
  }
}

function command(): string {
  if (process.platform === 'darwin') return missing.map(({ homebrew }) => `brew install ${homebrew}`).join(' && ')
  return `sudo apt-get install ${missing.map(({ debian }) => debian).join(' ')}`
}
