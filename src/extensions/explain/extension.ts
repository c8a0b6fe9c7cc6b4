// Why a request was answered as it was, and everything that followed from it.
import texts from '../../../languages/en/dashboard-explain.json' with { type: 'json' }
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { explainCommand } from './command.ts'

type ExplainTexts = typeof texts

declare module '../../dashboard/framework/messages.ts' {
  interface AddedTexts extends ExplainTexts {}
}

export const explain = {
  name: 'explain',
  version,
  lateRoutes: async () => (await import('./routes.ts')).routes,
  areas: { 'dashboard-explain': texts },
  screens: async () => [(await import('./screen.ts')).explainScreen],
  commands: explainCommand,
} satisfies Extension
