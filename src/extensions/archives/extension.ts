// A whole store as one file, for another installation.
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { archiveCommands } from './commands.ts'

export const archives = { name: 'archives', version, commands: archiveCommands } satisfies Extension
