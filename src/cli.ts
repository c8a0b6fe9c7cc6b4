// The operator's commands: npm run -s stoa -- <command>. Beside a running server or alone; --json prints one object.
import { Command, CommanderError } from 'commander'
import { clientCommands } from './cli/client.ts'
import { databaseCommands } from './cli/database.ts'
import { keyCommands } from './cli/key.ts'
import { actions } from './cli/output.ts'
import { storeCommands } from './cli/store.ts'
import { userCommands } from './cli/user.ts'
import { version } from './platform/version.ts'

const usageExitCode = 2

const program = new Command('stoa')
  .description('Operate Stoa: stores, keys, people, clients, the database')
  .version(version)
  .option('--json', 'print one JSON object')
  .showHelpAfterError('(--help lists what there is)')
  .exitOverride()

const act = actions(program)
for (const add of [storeCommands, keyCommands, userCommands, clientCommands, databaseCommands]) add(program, act)
exitByException(program)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : usageExitCode
}

/** Commander's subcommands do not inherit it when they are made before. */
function exitByException(command: Command): void {
  for (const sub of command.commands) {
    sub.exitOverride()
    exitByException(sub)
  }
}
