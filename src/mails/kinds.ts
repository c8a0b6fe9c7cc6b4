// Every kind of mail to people, and to whom it goes.

// prettier-ignore
export const mailKinds = [
  'order_confirmation',   // to the customer: it was placed
  'order_notice',         // to the merchant: it was placed
  'order_paid',
  'order_shipped',        // with where its parcel is
  'order_refunded',
  'order_cancelled',
  'order_link',           // to the customer, who asked where the order is
  'payment_failed',       // to the shopper: the way back to a checkout that was not paid
  'contact_message',      // to the merchant: what a visitor wrote
] as const

export type MailKind = (typeof mailKinds)[number]

/** They tell of an order, or of what was to be one. */
export type OrderMail = Exclude<MailKind, 'contact_message'>

export const statuses = ['queued', 'sent', 'failed', 'refused'] as const
export type Status = (typeof statuses)[number]
