// The operator's commands: npm run -s stoa -- <command>. They work with or without a running server.
import './environment.ts'
import { CommanderError, type Command } from 'commander'
import { allCommands } from './cli/commands.ts'

const usageExitCode = 2
const asJson = process.argv.includes('--json')

const program = allCommands()
prepare(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  if (error.exitCode !== 0) reportUsageError(error)
}

/** Sets each subcommand up by itself: those made beforehand do not inherit exitOverride. */
function prepare(command: Command): void {
  command.exitOverride()
  // stdout carries only the requested help or version.
  if (asJson) command.configureOutput({ writeOut: writeTextAsJson, writeErr() {}, outputError() {} })
  // Commander reports only the first missing option; this reports them all.
  Object.assign(command, {
    missingMandatoryOptionValue() {
      const missing = command.options.filter(
        (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
      )
      const flags = missing.map(({ flags }) => flags).join(', ')
      command.error(`error: missing required options: ${flags}`, { code: 'commander.missingMandatoryOptionValue' })
    },
  })
  command.commands.forEach(prepare)
}

function writeTextAsJson(text: string): void {
  process.stdout.write(`${JSON.stringify({ text: text.trimEnd() })}\n`)
}

/** Commander has already printed the text form. */
function reportUsageError({ code, message }: CommanderError): void {
  const text =
    code === 'commander.help' ? 'missing command; run with --help for a list' : message.replace(/^error: /, '')
  if (asJson) process.stderr.write(`${JSON.stringify({ error: { code: 'USAGE', message: text } })}\n`)
  process.exitCode = usageExitCode
}
