// The first values of a signed-in shopper's checkout: contact and default address.
import type { CustomerAddress } from '../../../commerce/customers/address.ts'
import { chooseDefaultAddresses, listAddresses } from '../../../commerce/customers/addresses.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import type { CheckoutInput } from '../../checkout/checkout.ts'
import { findCheckout } from '../../checkout/cart/operations.ts'
import { firstDestination } from '../../checkout/offers/shipping.ts'
import type { Shopper } from '../../accounts/session.ts'
import { changeShopCheckout } from './changecheckout.ts'
import type { ShopContext } from './page.ts'

/** Null for a customer without a name, whose name is the email. */
export function toShopperName({ name, email }: Pick<Shopper, 'name' | 'email'>): string | null {
  return name.toLowerCase() === email ? null : name
}

function toShopperContact(shopper: Shopper): NonNullable<CheckoutInput['customer']> {
  return { name: toShopperName(shopper), email: shopper.email, phone: shopper.phone }
}

/** The address of a checkout. Its recipient is the contact unless the address has a name. */
export function checkoutAddress(address: CustomerAddress): NonNullable<CheckoutInput['shipping_address']> {
  const { name, phone, company, address: street, address_2, city, province, postal_code, country_code } = address
  return { name, phone, company, address: street, address_2, city, province, postal_code, country_code, country: null }
}

/** The default address if the store ships there, with the methods for it. */
export async function buildCheckoutPrefill(
  context: ShopContext,
  shopper: Shopper,
): Promise<Omit<CheckoutInput, 'items'>> {
  const { db, store, offer } = context
  const addresses = await listAddresses(db, store, shopper.id)
  const { shipping: usual, billing } = chooseDefaultAddresses(addresses) ?? {}
  const { country_code, ...methods } = firstDestination(offer, usual?.country_code ?? store.country_code)
  const isSent = usual?.country_code === country_code
  const place = isSent ? checkoutAddress(usual) : { country_code }
  // One that the store does not ship to is still where its owner is billed.
  const billed = billing ?? (!isSent && usual?.is_default_billing ? usual : null)
  const billing_address = billed && checkoutAddress(billed)
  return { customer: toShopperContact(shopper), shipping_address: place, billing_address, ...methods }
}

/** A checkout that was begun before signing in gets the missing data. Invalid data is left out. */
export async function fillCheckout(context: ShopContext, shopper: Shopper): Promise<void> {
  const { db, store, cookies } = context
  const token = cookies.checkout
  if (!token) return
  try {
    const { customer, order } = await findCheckout(db, store, token)
    if (order || customer.email) return
    const input = await buildCheckoutPrefill(context, shopper)
    await changeShopCheckout(context, token, input)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
  }
}
