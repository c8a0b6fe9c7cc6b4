// What the page of the checkout shows, for all its parts.
import type { Fault } from '../kit/values/faults.ts'
import type { Thumbnail } from '../catalog/public.ts'
import type { Checkout } from '../checkout/view.ts'
import type { TextField, Values } from './checkoutform.ts'
import type { Visit } from './page.ts'

export type Shown = {
  checkout: Checkout
  thumbnails: readonly (Thumbnail | null)[]
  values: Values
  faults: readonly Fault[]
  /** Tells this checkout from another of the same shopper. */
  mark: string
}

/** What all parts of the page know. */
export type Parts = Shown & {
  visit: Visit
  /** field → what is wrong with it. */
  said: Record<string, string>
  /** The field that gets the focus. */
  first: TextField | undefined
}
