// The extensions of this repository. The server loads this list while it starts; the core imports none of them.
import type { Extension } from '../tenancy/extensions/extension.ts'
import { archives } from './archives/extension.ts'
import type { ArchiveConfig } from './archives/commands.ts'
import { backInStock } from './backinstock/extension.ts'
import { downloads } from './downloads/extension.ts'
import type { DownloadJobParts } from './downloads/job.ts'
import { examination } from './examination/extension.ts'
import { explain } from './explain/extension.ts'
import { forks } from './forks/extension.ts'
import type { ForkConfig } from './forks/commands.ts'
import type { ForkJobParts } from './forks/job.ts'
import type { ForkParts } from './forks/running/openfork.ts'
import type { McpServing } from './mcp/endpoint.ts'
import { mcp } from './mcp/extension.ts'
import { sandbox, type SandboxParts } from './sandbox/extension.ts'
import type { UcpOptions } from './ucp/endpoint.ts'
import { ucp } from './ucp/extension.ts'
import type { UcpJobParts } from './ucp/jobs.ts'
import { transfer } from './transfer/extension.ts'
import type { ImportJobParts } from './transfer/imports/job.ts'

/** The parts that the program passes to their functions. */
export type Passed = {
  open: ForkParts
  serve: McpServing & UcpOptions
  jobs: UcpJobParts & ForkJobParts & ImportJobParts & DownloadJobParts
  start: SandboxParts
  config: ArchiveConfig & ForkConfig
}

export const builtIn: readonly Extension<Passed>[] = [
  transfer,
  forks,
  explain,
  examination,
  archives,
  ucp,
  mcp,
  sandbox,
  backInStock,
  downloads,
]
