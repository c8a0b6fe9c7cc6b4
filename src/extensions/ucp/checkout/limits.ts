// Limits checkouts and codes per address, as in the shop.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { discountFaults } from '../../../commerce/discounts/errors.ts'
import type { UcpMessage } from '../messages.ts'
import { Problem } from '../problems.ts'
import type { Visit } from '../visit.ts'
import type { RawInput } from './read.ts'

/** `token` null: a new checkout. `work` reports its messages, such as those of invalid codes. */
export async function runGuarded<T>(
  { guard }: Pick<Visit, 'guard'>,
  { customer, discount_code }: Partial<Pick<RawInput, 'customer' | 'discount_code'>>,
  token: string | null,
  work: (report: (messages: readonly UcpMessage[]) => void) => Promise<T>,
): Promise<T> {
  const contact = customer?.email ?? customer?.phone
  if (token === null) await guard.begin()
  if (contact) await guard.name(contact)
  if (!discount_code) return work(() => {})
  const end = await guard.tryCode(token).catch(() => {
    throw new Problem('rate_limited', 'Too many discount codes were tried. Try again later', { 'retry-after': '600' })
  })
  let isWrong = false
  try {
    return await work((messages) => (isWrong = messages.some(({ code }) => code === 'discount_code_invalid')))
  } finally {
    await end(isWrong ? wrongCode : undefined)
  }
}

const wrongCode = invalid(fault('discount_code', discountFaults.code_too_often))
