// Props of the checkout page.
import type { CustomerAddress } from '../../../commerce/customers/address.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import type { Thumbnail } from '../../../commerce/catalog/public.ts'
import type { Shopper } from '../../accounts/session.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import type { ShopContext } from '../frame/page.ts'
import type { TextField } from '../frame/formrows.ts'

/** The values of all fields. */
export type CheckoutValues = Record<TextField, string> & {
  order_bumps: string[]
  has_billing: boolean
  accepts_marketing: boolean
} & {
  /** Those of custom fields, by key. */
  answers: Record<string, string>
}

export type CheckoutProps = {
  checkout: Checkout
  thumbnails: readonly (Thumbnail | null)[]
  values: CheckoutValues
  faults: readonly Fault[]
  /** True once the button was pressed: from then on missing fields are reported. */
  isTried: boolean
  /** The signed-in shopper. */
  shopper: (Shopper & { addresses: readonly CustomerAddress[] }) | null
  /** Identifies the checkout among others of the same shopper. */
  mark: string
}

/** Props of all parts of the page. */
export type CheckoutParts = CheckoutProps & {
  context: ShopContext
  /** Field → error. */
  errors: Record<string, string>
  /** The field that gets the focus. */
  focusField: string | undefined
}
