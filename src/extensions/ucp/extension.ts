// The Universal Commerce Protocol, for shoppers' agents.
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { version } from '../../platform/process/version.ts'
import { signingKeyCommands } from './commands.ts'
import type { UcpOptions } from './endpoint.ts'
import type { UcpJobParts } from './jobs.ts'

export const ucp = {
  name: 'ucp',
  version,
  serve: async (app, options: UcpOptions) => (await import('./endpoint.ts')).serveUcp(app, options),
  jobs: async (parts: UcpJobParts) => (await import('./jobs.ts')).buildUcpJobs(parts),
  commands: signingKeyCommands,
} satisfies Extension
