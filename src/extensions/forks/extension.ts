// Copies of a store for experiments, each with an address, a key and a clock of its own.
import texts from '../../../languages/en/dashboard-forks.json' with { type: 'json' }
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { forkCommands } from './commands.ts'
import type { ForkJobParts } from './job.ts'
import { routes, testRoutes } from './routes.ts'
import type { Forks } from './running/forks.ts'
import type { ForkParts } from './running/openfork.ts'
import { forks as table } from './tables.ts'

type ForkTexts = typeof texts

declare module '../../dashboard/framework/messages.ts' {
  interface AddedTexts extends ForkTexts {}
}

export const forks = {
  name: 'forks',
  version,
  tables: [table],
  routes,
  // Forks alone answer these; other stores refuse them.
  routeTables: [{ prefix: '/v1', routes: testRoutes, acceptsDryRuns: true }],
  tags: { Forks: 'Copies of a store for experiments, each with a clock that can be moved.' },
  areas: { 'dashboard-forks': texts },
  open: async (parts: ForkParts) => (await import('./running/forks.ts')).openForks(parts),
  serve: async (app, _parts, { enter }: Forks) => (await import('./running/server.ts')).serveForks(app, enter),
  jobs: async (parts: ForkJobParts) => (parts.isInner ? [] : (await import('./job.ts')).forksJobs(parts)),
  screens: async () => [(await import('./screen.ts')).forksScreen],
  commands: forkCommands,
} satisfies Extension
