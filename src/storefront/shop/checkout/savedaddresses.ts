// What the checkout offers to signed-in shoppers, and the way to sign in.
import { html } from 'hono/html'
import type { CustomerAddress } from '../../../commerce/customers/address.ts'
import type { Html } from '../frame/page.ts'
import { accountPath } from '../frame/shopper.ts'
import type { CheckoutParts } from './props.ts'

export function whoIsIn({ context: { t, root, store }, shopper }: CheckoutParts): Html | '' {
  if (!store.customer_accounts) return ''
  if (shopper) return html`<p class="soft">${t('signed_in_as', { email: shopper.email })}</p>`
  return html`<p><a href="${root}${accountPath}?next=checkout">${t('sign_in_checkout')}</a></p>`
}

export function savedAddresses({ context: { t }, shopper }: CheckoutParts): Html | '' {
  if (!shopper || shopper.addresses.length === 0) return ''
  const options = shopper.addresses.map((one) => html`<option value="${one.id}">${textOf(one)}</option>`)
  return html`<div class="code"><p class="field"><label for="saved_address">${t('address_saved')}</label>
<select id="saved_address" name="saved_address" autocomplete="off">${options}</select></p>
<button class="quiet" name="act" value="address">${t('address_use')}</button></div>`
}

function textOf({ name, address, city, country_code }: CustomerAddress): string {
  return [name, address, city, country_code].filter(Boolean).join(', ')
}
