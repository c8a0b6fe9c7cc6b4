// Props of the checkout page.
import type { CustomerAddress } from '../../../commerce/customers/address.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import type { Thumbnail } from '../../../commerce/catalog/public.ts'
import type { Shopper } from '../../accounts/session.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import type { CheckoutValues } from './checkoutform.ts'
import type { TextField } from '../frame/formrows.ts'
import type { ShopContext } from '../frame/page.ts'

export type CheckoutProps = {
  checkout: Checkout
  thumbnails: readonly (Thumbnail | null)[]
  values: CheckoutValues
  faults: readonly Fault[]
  /** The button has been pressed: what is missing is said from then on. */
  isTried: boolean
  /** The signed-in shopper. */
  shopper: (Shopper & { addresses: readonly CustomerAddress[] }) | null
  /** Tells this checkout from another of the same shopper. */
  mark: string
}

/** Props of all parts of the page. */
export type CheckoutParts = CheckoutProps & {
  context: ShopContext
  /** field → what is wrong with it. */
  errors: Record<string, string>
  /** The field that gets the focus. */
  focusField: TextField | undefined
}
