// Finds what a receiver of webhooks gets wrong, and forwards events to one on the developer's machine.
import texts from '../../../languages/en/dashboard-examination.json' with { type: 'json' }
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'
import { examinationCommands } from './commands.ts'

type ExaminationTexts = typeof texts

declare module '../../dashboard/framework/messages.ts' {
  interface AddedTexts extends ExaminationTexts {}
}

export const examination = {
  name: 'examination',
  version,
  lateRoutes: async () => (await import('./routes.ts')).routes,
  areas: { 'dashboard-examination': texts },
  screens: async () => [(await import('./screen.ts')).examinationScreen],
  commands: examinationCommands,
} satisfies Extension
