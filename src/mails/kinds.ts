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
] as const

export type MailKind = (typeof mailKinds)[number]

export const statuses = ['queued', 'sent', 'failed', 'refused'] as const
export type Status = (typeof statuses)[number]
