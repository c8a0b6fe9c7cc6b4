// The README says what is: its table of variables is the configuration, its commands are the CLI's.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeConfig } from '../src/config.ts'
import { run } from './server.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README is at most 100 lines long', () => {
  assert.ok(readme.trimEnd().split('\n').length <= 100)
})

test('the README lists every variable with its default and its sentence', () => {
  const rows = describeConfig().map(({ name, fallback, about }) => `| ${name} | ${fallback} | ${about} |`)
  const [, table = ''] = readme.split('| Variable | Default | |\n|---|---|---|\n')
  assert.deepEqual(table.split('\n\n')[0]!.split('\n'), rows)
})

test('every command that the README names is one, with the options that it names', async () => {
  const rows = readme.split('\n').filter((line) => /^\| `[a-z]/.test(line))
  const cells = rows.flatMap((row) => row.split(' | '))
  const quoted = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!))
  const commands = quoted.filter((text) => /^[a-z]/.test(text))
  assert.ok(commands.length >= 12)
  await Promise.all(
    commands.map(async (command) => {
      const words = command.replace(/\\/g, '').split(' ')
      const end = words.findIndex((word) => !/^[a-z-]+$/.test(word)) >>> 0
      const names = words.slice(0, end).filter((word) => !word.startsWith('--'))
      const { code, stdout } = await run('src/cli.ts', [...names, '--help']).ended
      assert.equal(code, 0, command)
      assert.match(stdout, new RegExp(`^Usage: stoa (\\[options\\] )?${names.join('( \\[options\\])? ')}`), command)
      for (const [option] of command.matchAll(/--[a-z-]+/g)) assert.ok(stdout.includes(option), `${command}: ${option}`)
    }),
  )
})

test('every command of the CLI is in the README', async () => {
  const named = [...readme.matchAll(/`([a-z][a-z -]*)/g)].map(([, words]) => words!.split(' --')[0]!.trim())
  const missing = (await commandsOf([])).filter((command) => !named.includes(command))
  assert.deepEqual(missing, [])
})

/** The words of each command that does something, from the help. */
async function commandsOf(group: string[]): Promise<string[]> {
  const { stdout } = await run('src/cli.ts', [...group, '--help']).ended
  const [, list = ''] = stdout.split('\nCommands:\n')
  const names = [...list.matchAll(/^  ([a-z-]+)/gm)].map(([, name]) => name!).filter((name) => name !== 'help')
  if (names.length === 0) return [group.join(' ')]
  return (await Promise.all(names.map((name) => commandsOf([...group, name])))).flat()
}
