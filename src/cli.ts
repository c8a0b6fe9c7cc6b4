// The operator's commands: npm run -s stoa -- <command>. Beside a running server or alone; --json prints one object.
import { CommanderError, type Command } from 'commander'
import { allCommands } from './cli/program.ts'

const usageExitCode = 2
const asJson = process.argv.includes('--json')

const program = allCommands()
prepare(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  if (error.exitCode !== 0) refuse(error)
}

/** Commander's subcommands do not inherit how it ends when they are made before. */
function prepare(command: Command): void {
  command.exitOverride()
  // Only what was asked for, the help or the version, is written to stdout.
  if (asJson) command.configureOutput({ writeOut: say, writeErr() {}, outputError() {} })
  // By itself it names the first missing option only.
  Object.assign(command, {
    missingMandatoryOptionValue() {
      const missing = command.options.filter(
        (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
      )
      const named = missing.map(({ flags }) => flags).join(', ')
      command.error(`error: required: ${named}`, { code: 'commander.missingMandatoryOptionValue' })
    },
  })
  command.commands.forEach(prepare)
}

function say(text: string): void {
  process.stdout.write(`${JSON.stringify({ text: text.trimEnd() })}\n`)
}

/** The words are printed already. */
function refuse({ code, message }: CommanderError): void {
  const said = code === 'commander.help' ? 'a command is missing; --help lists them' : message.replace(/^error: /, '')
  if (asJson) process.stderr.write(`${JSON.stringify({ error: { code: 'USAGE', message: said } })}\n`)
  process.exitCode = usageExitCode
}
