import type { ByHand } from '../provider.ts'

/** Cash on delivery, bank transfer and the like. */
export const manual: ByHand = { kind: 'by hand', settings: {} }
