// The README says what is: its table of variables is the configuration, its commands are the CLI's.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Command } from 'commander'
import { allCommands } from '../src/program/cli/commands.ts'
import { describeConfig } from '../src/program/config.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README is at most 100 lines long', () => {
  assert.ok(readme.trimEnd().split('\n').length <= 100)
})

test('the README lists every variable with its default and its sentence', () => {
  const rows = describeConfig().map(({ name, fallback, about }) => `| ${name} | ${fallback} | ${about} |`)
  const [, table = ''] = readme.split('| Variable | Default | |\n|---|---|---|\n')
  assert.deepEqual(table.split('\n\n')[0]!.split('\n'), rows)
})

test('every command that the README names is one, with the options that it names', () => {
  const rows = readme.split('\n').filter((line) => /^\| `[a-z]/.test(line))
  const cells = rows.flatMap((row) => row.split(' | '))
  const quoted = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!))
  const commands = quoted.filter((text) => /^[a-z]/.test(text))
  assert.ok(commands.length >= 12)
  for (const command of commands) {
    const words = command.replace(/\\/g, '').split(' ')
    const end = words.findIndex((word) => !/^[a-z-]+$/.test(word)) >>> 0
    const names = words.slice(0, end).filter((word) => !word.startsWith('--'))
    const help = commandAt(names).helpInformation()
    assert.match(help, new RegExp(`^Usage: stoa (\\[options\\] )?${names.join('( \\[options\\])? ')}`), command)
    for (const [option] of command.matchAll(/--[a-z-]+/g)) assert.ok(help.includes(option), `${command}: ${option}`)
  }
})

test('every command of the CLI is in the README', () => {
  const named = [...readme.matchAll(/`([a-z][a-z -]*)/g)].map(([, words]) => words!.split(' --')[0]!.trim())
  const missing = commandsOf(allCommands()).filter((command) => !named.includes(command))
  assert.deepEqual(missing, [])
})

function commandAt(names: string[]): Command {
  return names.reduce((group, name) => {
    const found = group.commands.find((one) => one.name() === name || one.aliases().includes(name))
    assert.ok(found, names.join(' '))
    return found
  }, allCommands())
}

/** The words of each command that does something. */
function commandsOf(group: Command, names: string[] = []): string[] {
  if (group.commands.length === 0) return [names.join(' ')]
  return group.commands.flatMap((one) => commandsOf(one, [...names, one.name()]))
}
