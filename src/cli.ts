// The operator's commands: npm run -s stoa -- <command>. Beside a running server or alone; --json prints one object.
import { Command, CommanderError } from 'commander'
import { auditCommands } from './cli/audit.ts'
import { clientCommands } from './cli/client.ts'
import { databaseCommands } from './cli/database.ts'
import { explainCommand } from './cli/explain.ts'
import { keyCommands } from './cli/key.ts'
import { mailCommands } from './cli/mail.ts'
import { actions } from './cli/output.ts'
import { storeCommands } from './cli/store.ts'
import { userCommands } from './cli/user.ts'
import { webhookCommands } from './cli/webhook.ts'
import { version } from './platform/process/version.ts'

const usageExitCode = 2
const asJson = process.argv.includes('--json')

const program = new Command('stoa')
  .description('Operate Stoa: stores, keys, people, clients, the database')
  .version(version)
  .option('--json', 'print one JSON object')
  .showHelpAfterError('(--help lists what there is)')

const act = actions(program)
const groups = [
  storeCommands,
  keyCommands,
  userCommands,
  clientCommands,
  mailCommands,
  auditCommands,
  explainCommand,
  webhookCommands,
  databaseCommands,
]
for (const add of groups) add(program, act)
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
