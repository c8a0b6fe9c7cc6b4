// A store has a person's whole name; the protocol splits it. A joined name splits into the same whole again.
import type { Checkout } from '../../../storefront/checkout/cart/view.ts'

export function firstAndLast(name: string | null | undefined): { first_name?: string; last_name?: string } {
  const [, first, last] = /^(.*)\s(\S+)$/s.exec(name?.trim() ?? '') ?? []
  if (first && last) return { first_name: first, last_name: last }
  return name?.trim() ? { first_name: name.trim() } : {}
}

/** Undefined without any data of the buyer. */
export function toUcpBuyer({ customer }: Checkout): object | undefined {
  const { name, email, phone } = customer
  if (!name && !email && !phone) return undefined
  return { ...firstAndLast(name), ...(email ? { email } : {}), ...(phone ? { phone_number: phone } : {}) }
}

export function formatPersonName(
  person: { first_name?: string | null; last_name?: string | null } | null | undefined,
): string | null {
  return (
    [person?.first_name, person?.last_name]
      .map((part) => part?.trim())
      .filter(Boolean)
      .join(' ') || null
  )
}
