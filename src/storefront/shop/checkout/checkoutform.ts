// The form of the checkout. Its fields have the API's names, so that each error finds its field.
import type { EndGuard } from '../../../kit/declare/route.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import type { ReadContext } from '../../../kit/declare/field.ts'
import { checkoutChanges, type CheckoutInput } from '../../checkout/checkout.ts'
import { checkoutFaults } from '../../checkout/errors.ts'
import type { Offer } from '../../checkout/offers/offer.ts'
import { getAddressCountry, isPaidBy, methodsWith } from '../../checkout/offers/shipping.ts'
import type { CheckoutValues } from './props.ts'
import { inputName, readAnswers, readAnswerTexts } from './answerfields.ts'
import type { Checkout } from '../../checkout/cart/view.ts'
import type { Form } from '../../../platform/pages/form.ts'
import { texts, textsIn, type TextField } from '../frame/formrows.ts'
import { field, fieldsNamed, type ShopContext } from '../frame/page.ts'
import { readCodeEdit } from '../cart/codes.ts'
import { changeShopCheckout } from '../frame/changecheckout.ts'

/** The fields with faults, in the order of the page: custom fields come before the payment. */
export function faultyFields(
  faults: readonly Fault[],
  country: string | null,
  { custom_fields }: Pick<Offer, 'custom_fields'>,
): string[] {
  const names = textsIn(country).flatMap((name): string[] =>
    name === 'payment_method' ? [...custom_fields.map(inputName), name] : [name],
  )
  return names.filter((name) => faults.some(({ field: readFieldPath }) => readFieldPath === name))
}

/** True if an email or a phone number will do: one field takes either. */
export function takesEitherContact({ asking }: Pick<Offer, 'asking'>): boolean {
  return asking.phone === 'optional'
}

export function toCheckoutValues(checkout: Checkout, { store, offer }: ShopContext): CheckoutValues {
  const { shipping_address: address, customer } = checkout
  const isPhone = takesEitherContact(offer) && !customer.email
  const bumps = [...checkout.order_bumps, ...checkout.items].map(({ bump_id }) => bump_id).filter((id) => id !== null)
  const fields = {
    ...checkout,
    ...(isPhone ? { customer: { ...customer, email: customer.phone, phone: null } } : {}),
    discount_code: '',
    shipping_address: { ...address, country_code: getAddressCountry(address) ?? store.country_code },
  }
  const has_billing = checkout.billing_address !== null
  const answers = Object.entries(checkout.custom_fields).map(([key, value]) => [key, String(value)])
  const { accepts_marketing } = checkout
  const own = { order_bumps: bumps, has_billing, accepts_marketing, answers: Object.fromEntries(answers) }
  return { ...mapTexts((name) => String(at(fields, name) ?? '')), ...own }
}

/** The values as typed. A code that was added is no longer in its field. */
export function submittedValues(
  form: Form,
  faults: readonly Fault[],
  { custom_fields }: Pick<Offer, 'custom_fields'>,
): CheckoutValues {
  const answers = readAnswerTexts(form, custom_fields)
  const accepts_marketing = field(form, 'accepts_marketing') !== ''
  const own = {
    order_bumps: fieldsNamed(form, 'order_bumps'),
    has_billing: hasBilling(form),
    accepts_marketing,
    answers,
  }
  const isAdded = !faults.some((one) => one.field === 'discount_code')
  return { ...mapTexts((name) => field(form, name)), ...own, ...(isAdded ? { discount_code: '' } : {}) }
}

/** The box is in the form, and not ticked. */
function hasBilling(form: Form): boolean {
  return 'billing' in form && field(form, 'billing_same') === ''
}

function mapTexts(valueOf: (name: TextField) => string): Record<TextField, string> {
  return Object.fromEntries(texts.map((name) => [name, valueOf(name)])) as Record<TextField, string>
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null)?.[name], value)
}

/** Saves all valid input, and returns the rest as faults. Throws if the checkout does not exist. */
export async function saveForm(context: ShopContext, token: string): Promise<{ checkout: Checkout; faults: Fault[] }> {
  const { store, form, offer, language, guard } = context
  const faults: Fault[] = []
  const contact = field(form, 'customer.email') || field(form, 'customer.phone')
  if (contact) await guard.name(contact)
  for (let tries = 1; ; tries++) {
    let endTry: EndGuard | undefined
    try {
      // Emails use the shopper's current language, not that of the first visit.
      const input = { ...readForm(form, offer, store, faults), locale: language }
      const isFaulty = faults.some((one) => one.field === 'discount_code')
      const codeEdit = { ...readCodeEdit(form), ...(isFaulty ? { add: undefined } : {}) }
      if (codeEdit.add) endTry = await guard.tryCodes(token, { field: 'discount_code', count: 1 })
      const checkout = await changeShopCheckout(context, token, input, { codeEdit })
      await endTry?.()
      return { checkout, faults }
    } catch (error) {
      await endTry?.(error)
      if (!(error instanceof ApiError) || error.faults.length === 0 || tries === maxTries) throw error
      faults.push(...error.faults.map((one) => (isContactPhone(form, offer) ? aboutContact(one) : one)))
    }
  }
}

// The reader reports its faults together, before those of the operation.
const maxTries = 4

/** An email has an @. Beside a number for the delivery, the contact can only be one. */
function isContactPhone(form: Form, offer: Offer): boolean {
  const contact = field(form, 'customer.email')
  return takesEitherContact(offer) && contact !== '' && !contact.includes('@') && !field(form, 'customer.phone')
}

function aboutContact(one: Fault): Fault {
  return one.field === 'customer.phone' ? fault('customer.email', checkoutFaults.contact_required) : one
}

function readForm(form: Form, offer: Offer, context: ReadContext, faults: Fault[]): CheckoutInput {
  const isFaulty = (name: string) => faults.some((fault) => fault.field === name)
  const body: Record<string, unknown> = {
    order_bumps: fieldsNamed(form, 'order_bumps').filter((_, index) => !isFaulty(`order_bumps.${index}`)),
    ...(offer.custom_fields.length > 0 ? { custom_fields: readAnswers(form, offer.custom_fields, isFaulty) } : {}),
    ...(offer.asking.marketing === 'hidden' ? {} : { accepts_marketing: field(form, 'accepts_marketing') !== '' }),
  }
  for (const name of texts) {
    if (!(name in form) || isFaulty(name) || name === 'discount_code') continue
    const [outer, inner] = name.split('.') as [string, string | undefined]
    const value = field(form, name) || null
    body[outer] = inner === undefined ? value : { ...(body[outer] as object), [inner]: value }
  }
  if (isContactPhone(form, offer) && !isFaulty('customer.email'))
    body.customer = { ...(body.customer as object), email: null, phone: field(form, 'customer.email') }
  const country = field(form, 'shipping_address.country_code')
  // The country's name follows from its code.
  if (country) body.shipping_address = { ...(body.shipping_address as object), country: null }
  const { billing_address: billing } = body as { billing_address?: { country_code?: string | null } }
  if (hasBilling(form)) body.billing_address = billing?.country_code ? { ...billing, country: null } : (billing ?? {})
  else if ('billing' in form) body.billing_address = null
  const rate = offer.shipping_rates.find(({ code }) => code === field(form, 'shipping_method'))
  const method = { code: field(form, 'payment_method') }
  // Until the order is placed, another rate selects the first payment method that it allows.
  const isSwitched = rate && !isPaidBy(rate, method) && field(form, 'act') !== 'place'
  if (isSwitched) body.payment_method = methodsWith(offer, rate)[0]?.code ?? null
  return checkoutChanges.read(body, context)
}
