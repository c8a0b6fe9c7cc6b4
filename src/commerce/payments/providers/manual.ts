import type { ManualProvider } from '../provider.ts'

/** Cash on delivery, bank transfer and the like. */
export const manual: ManualProvider = { kind: 'manual', settings: {} }
