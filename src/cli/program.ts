// All commands.
import { Command } from 'commander'
import { version } from '../platform/process/version.ts'
import { auditCommands } from './audit.ts'
import { clientCommands } from './client.ts'
import { databaseCommands } from './database.ts'
import { explainCommand } from './explain.ts'
import { keyCommands } from './key.ts'
import { mailCommands } from './mail.ts'
import { actions } from './output.ts'
import { routesCommand } from './routes.ts'
import { storeCommands } from './store.ts'
import { userCommands } from './user.ts'
import { webhookCommands } from './webhook.ts'

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
  routesCommand,
]

export function allCommands(): Command {
  const program = new Command('stoa')
    .description('Operate Stoa: stores, keys, people, clients, the database')
    .version(version)
    .option('--json', 'print one JSON object')
    .option('--dry-run', 'tell what a command would change, and change nothing')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help lists what there is)')
  const all = actions(program)
  for (const add of groups) add(program, all)
  return program
}
