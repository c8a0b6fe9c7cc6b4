// Texts of the sandbox payment provider's pages.
import sandbox from '../../../languages/en/sandbox.json' with { type: 'json' }
import { translatorFor } from '../../platform/languages/translator.ts'

export const sandboxTranslator = translatorFor({ sandbox })

export type SandboxMessageKey = keyof typeof sandbox
