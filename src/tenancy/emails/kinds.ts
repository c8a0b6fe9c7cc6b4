// All kinds of email, with their reader and subject. A new kind takes one line here, its words in
// languages/<language>/email.json (for stores) or account-email.json, and its parts in src/storefront/letters.

/** The recipient of a store's email. */
export type MailReader = 'customer' | 'merchant'

type KindTraits = {
  to: MailReader | 'user'
  about: 'order' | 'checkout' | 'draft_order' | 'payment' | 'enquiry' | 'summary' | 'sign_in' | 'extension' | 'account'
  /** Delays the email, which may become unnecessary in the meantime. */
  delaySeconds?: number
}

// prettier-ignore
const kinds = {
  order_confirmation: { to: 'customer', about: 'order' },
  order_notice:       { to: 'merchant', about: 'order' },
  order_mention:      { to: 'merchant', about: 'order' },      // to the members that a comment mentions
  order_paid:         { to: 'customer', about: 'order' },
  order_shipped:      { to: 'customer', about: 'order' },      // with its tracking number
  order_refunded:     { to: 'customer', about: 'order' },
  order_cancelled:    { to: 'customer', about: 'order' },
  return_requested:   { to: 'customer', about: 'order' },
  return_approved:    { to: 'customer', about: 'order' },      // with the store's instructions
  return_declined:    { to: 'customer', about: 'order' },
  return_notice:      { to: 'merchant', about: 'order' },
  payment_request:    { to: 'customer', about: 'order' },      // with a link to pay what is due
  order_link:         { to: 'customer', about: 'order' },      // requested on the order lookup page
  draft_order_link:   { to: 'customer', about: 'draft_order' },  // with a link to pay it
  draft_order_blocked: { to: 'merchant', about: 'draft_order' }, // its customer cannot pay it
  payment_failed:     { to: 'customer', about: 'checkout', delaySeconds: 15 * 60 },
  abandoned_checkout: { to: 'customer', about: 'checkout' },
  payment_returned:        { to: 'customer', about: 'payment' },   // the order could not be placed
  payment_returned_notice: { to: 'merchant', about: 'payment' },
  refund_failed:           { to: 'merchant', about: 'payment' },   // after it had succeeded
  dispute_opened:          { to: 'merchant', about: 'payment' },
  dispute_closed:          { to: 'merchant', about: 'payment' },
  contact_message:    { to: 'merchant', about: 'enquiry' },    // a visitor's message
  team_summary:       { to: 'merchant', about: 'summary' },    // what a member chose to be told about
  account_sign_in:    { to: 'customer', about: 'sign_in' },    // a link and a code for the shop
  extension:          { to: 'customer', about: 'extension' },  // composed by the extension that queued it

  password_reset:         { to: 'user', about: 'account' },
  email_confirmation:     { to: 'user', about: 'account' },    // to the new address
  team_invitation:        { to: 'user', about: 'account' },
  password_changed:       { to: 'user', about: 'account' },
  email_changed:          { to: 'user', about: 'account' },    // to the old address
  authenticator_added:    { to: 'user', about: 'account' },
  authenticator_removed:  { to: 'user', about: 'account' },
  passkey_added:          { to: 'user', about: 'account' },
  passkey_removed:        { to: 'user', about: 'account' },
  recovery_codes_created: { to: 'user', about: 'account' },
  recovery_code_used:     { to: 'user', about: 'account' },
} as const satisfies Record<string, KindTraits>

export type AnyKind = keyof typeof kinds
type KindAbout<About> = { [K in AnyKind]: (typeof kinds)[K]['about'] extends About ? K : never }[AnyKind]

/** Emails of a store. */
export type StoreKind = Exclude<AnyKind, AccountKind>
/** Emails that a store can disable, and whose texts it can change. */
export type MailKind = Exclude<StoreKind, KindAbout<'extension'>>
/** About an order, or about a checkout or a draft that is not an order yet. */
export type OrderMail = KindAbout<'order' | 'checkout' | 'draft_order'>
export type DraftOrderMail = KindAbout<'draft_order'>
export type CheckoutMail = KindAbout<'checkout'>
/** About a payment, which may not have an order. */
export type PaymentMail = KindAbout<'payment'>
/** About a user account. These emails belong to no store. */
export type AccountKind = KindAbout<'account'>

/** Traits of a kind that belongs to a store. */
export function getMailKind(name: StoreKind): KindTraits & { to: MailReader } {
  return kinds[name]
}

export function getDelaySeconds(name: AnyKind): number {
  const { delaySeconds = 0 }: KindTraits = kinds[name]
  return delaySeconds
}

export const storeKinds = (Object.keys(kinds) as AnyKind[]).filter((name): name is StoreKind => !isAccountKind(name))

export const mailKinds = storeKinds.filter((name): name is MailKind => name !== 'extension')

export function isCheckoutKind(name: AnyKind): name is CheckoutMail {
  return kinds[name].about === 'checkout'
}

export function isDraftOrderKind(name: AnyKind): name is DraftOrderMail {
  return kinds[name].about === 'draft_order'
}

export function isPaymentKind(name: AnyKind): name is PaymentMail {
  return kinds[name].about === 'payment'
}

export function isAccountKind(name: AnyKind): name is AccountKind {
  return kinds[name].about === 'account'
}

export const statuses = ['queued', 'sent', 'failed', 'refused', 'suppressed'] as const
export type MailStatus = (typeof statuses)[number]
