import type { QuoteError } from '../../../tenancy/stores/shippingrate.ts'

/** Where the price of a rate comes from. `fallback`: its own, since its app gave none. */
export const priceSources = ['rate', 'app', 'fallback'] as const
export type PriceSource = { source: (typeof priceSources)[number]; error: QuoteError | null; detail: string | null }
