// /mcp, for merchants' agents.
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { version } from '../../platform/process/version.ts'
import type { McpServing } from './endpoint.ts'

export const mcp = {
  name: 'mcp',
  version,
  serve: async (app, options: McpServing) => (await import('./endpoint.ts')).serveMcp(app, options),
} satisfies Extension
