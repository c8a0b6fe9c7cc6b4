// Limits checkouts and codes per address, as in the shop.
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { discountFaults } from '../../../commerce/discounts/errors.ts'
import type { UcpMessage } from '../messages.ts'
import { Problem } from '../problems.ts'
import type { Visit } from '../visit.ts'
import type { RawInput } from './read.ts'

/** `token` null: a new checkout. `work` reports its messages, such as those of invalid codes. */
export async function runGuarded<T>(
  { guard }: Pick<Visit, 'guard'>,
  { customer, discount_codes = [] }: Partial<Pick<RawInput, 'customer' | 'discount_codes'>>,
  token: string | null,
  work: (report: (messages: readonly UcpMessage[]) => void) => Promise<T>,
): Promise<T> {
  const contact = customer?.email ?? customer?.phone
  if (token === null) await guard.begin()
  if (contact) await guard.name(contact)
  const count = discount_codes.length
  if (count === 0) return work(() => {})
  const end = await guard.tryCodes(token, { field: 'discount_codes', count }).catch(() => {
    throw new Problem('rate_limited', 'Too many discount codes were tried. Try again later', { 'retry-after': '600' })
  })
  let wrongCodes: Fault[] = []
  try {
    return await work((messages) => {
      wrongCodes = messages.filter(({ code }) => code === 'discount_code_invalid').map(() => wrongCode)
    })
  } finally {
    await end(wrongCodes.length > 0 ? invalid(...wrongCodes) : undefined)
  }
}

const wrongCode = fault('discount_codes', discountFaults.code_too_often)
