// All commands.
import { Command } from 'commander'
import { version } from '../../platform/process/version.ts'
import { extensions } from '../../tenancy/extensions/loaded.ts'
import { apiCommand } from './api.ts'
import { auditCommands } from './audit.ts'
import { clientCommands } from './client.ts'
import { completionCommand } from './completion.ts'
import { databaseCommands } from './database.ts'
import { initCommand } from './init.ts'
import { keyCommands } from './key.ts'
import { logsCommand } from './logs.ts'
import { mailCommands } from './mail.ts'
import { actions, type CommandActions } from './output.ts'
import { routesCommand } from './routes.ts'
import { storeCommands } from './store.ts'
import { triggerCommand } from './trigger.ts'
import { userCommands } from './user.ts'

const groups = [
  storeCommands,
  keyCommands,
  userCommands,
  clientCommands,
  addExtensionCommands,
  mailCommands,
  auditCommands,
  apiCommand,
  logsCommand,
  triggerCommand,
  databaseCommands,
  routesCommand,
  initCommand,
  completionCommand,
]

function addExtensionCommands(program: Command, all: CommandActions): void {
  for (const { commands } of extensions) commands?.(program, all)
}

export function allCommands(): Command {
  const program = new Command('stoa')
    .description('Manage stores, API keys, users, OAuth clients and the database of Stoa')
    .version(version)
    .option('--json', 'print the result as one JSON object')
    .option('--dry-run', 'show what a command would change without changing it')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(run with --help for usage)')
  const all = actions(program)
  for (const add of groups) add(program, all)
  return program
}
