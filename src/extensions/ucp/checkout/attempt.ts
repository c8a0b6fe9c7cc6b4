// Writes a checkout. Invalid parts of a new one are left out and reported; an invalid change
// leaves the checkout as it was.
import type { Tx } from '../../../kit/database/database.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkoutChanges, newCheckout, type WithQuotes } from '../../../storefront/checkout/checkout.ts'
import { askForChange, askForNew } from '../../../storefront/checkout/cart/askquotes.ts'
import { changeCheckout, createCheckout } from '../../../storefront/checkout/cart/operations.ts'
import type { Checkout } from '../../../storefront/checkout/cart/view.ts'
import { errorMessage, toUcpMessage, warningMessage, withoutLineNumber, type UcpMessage } from '../messages.ts'
import { Refusal } from '../problems.ts'
import type { Visit } from '../visit.ts'
import type { RawInput, ReadBody, LinePlace } from './read.ts'
import { checkoutToken } from './view.ts'

type WrittenCheckout = { checkout: Checkout; messages: UcpMessage[] }

const maxTries = 4

/** What apps ask for the shipping, before the transaction. What is invalid is reported by that. */
async function askApps(visit: Visit, token: string | null, input: Partial<RawInput>): Promise<WithQuotes> {
  const { store } = visit
  if (!store.has_quoted_rates) return {}
  try {
    const quotes =
      token === null
        ? await askForNew(visit, newCheckout.read(input, store))
        : await askForChange(visit, token, checkoutChanges.read(input, store))
    return { quotes }
  } catch (error) {
    if (error instanceof ApiError) return {}
    throw error
  }
}

/** Creates it without its invalid parts. Throws a Refusal if nothing is left to buy. */
export async function begin(visit: Visit, read: ReadBody): Promise<(tx: Tx) => Promise<WrittenCheckout>> {
  const quotes = await askApps(visit, null, read.input)
  return async (tx) => {
    const { store, deps } = visit
    let { input, lines } = read
    const messages = [...read.messages, ...read.refusals]
    for (let tries = 1; ; tries++) {
      if (input.items.length === 0) throw new Refusal(...nothingLeft(messages))
      try {
        const own = { ...deps, ...quotes, tokenOf: (id: string) => checkoutToken(visit, id) }
        const checkout = await createCheckout(tx, store, newCheckout.read(input, store), own)
        return { checkout, messages: messages.map(withoutLineNumber) }
      } catch (error) {
        const faults = getValidationFaults(error)
        if (faults.length === 0 || tries === maxTries) throw error
        messages.push(...faults.map((fault) => toRefusalMessage(visit, fault, lines)))
        const lostLines = linesIn(faults)
        lines = lines.filter((_, index) => !lostLines.has(index))
        input = omitFaults(input, faults)
      }
    }
  }
}

function nothingLeft(messages: UcpMessage[]): [UcpMessage, ...UcpMessage[]] {
  const own = messages.filter((message) => message.type === 'error')
  const [first = errorMessage('invalid', 'There is nothing to buy'), ...rest] = own
  const final = (message: UcpMessage): UcpMessage =>
    message.type === 'error' ? { ...message, severity: 'unrecoverable' } : message
  return [final(first), ...rest.map(final)]
}

/** Throws an ApiError with faults if anything but a discount code is rejected. */
export async function change(
  visit: Visit,
  token: string,
  read: Omit<ReadBody, 'input'> & { input: Partial<RawInput> },
): Promise<(tx: Tx) => Promise<WrittenCheckout>> {
  const { store, deps } = visit
  const quotes = await askApps(visit, token, read.input)
  const changed = (tx: Tx, input: Partial<RawInput>) =>
    changeCheckout(tx, store, token, checkoutChanges.read(input, store), { ...deps, ...quotes, forgets: true })
  return async (tx) => {
    const messages = [...read.messages]
    try {
      return { checkout: await changed(tx, read.input), messages }
    } catch (error) {
      const faults = getValidationFaults(error)
      const isCodeOnly = faults.length > 0 && faults.every(({ field }) => field.startsWith('discount_codes'))
      if (!isCodeOnly) throw error
      messages.push(...faults.map((fault) => toRefusalMessage(visit, fault, [])))
      return { checkout: await changed(tx, { ...read.input, ...withoutCodes(read.input, faults) }), messages }
    }
  }
}

export function getValidationFaults(error: unknown): readonly Fault[] {
  return error instanceof ApiError && error.status === 422 ? error.faults : []
}

function linesIn(faults: readonly Fault[]): Set<number> {
  return new Set(faults.flatMap(({ field }) => (/^items\.\d+/.test(field) ? [Number(field.split('.')[1])] : [])))
}

function withoutCodes({ discount_codes = [] }: Partial<RawInput>, faults: readonly Fault[]): Partial<RawInput> {
  const isFaulty = (index: number) => faults.some(({ field }) => field === `discount_codes.${index}`)
  return { discount_codes: discount_codes.filter((_, index) => !isFaulty(index)) }
}

function isMerged(name: string): name is 'shipping_address' | 'billing_address' | 'custom_fields' {
  return ['shipping_address', 'billing_address', 'custom_fields'].includes(name)
}

function omitFaults(input: RawInput, faults: readonly Fault[]): RawInput {
  const lostLines = linesIn(faults)
  const next: RawInput = { ...input, items: input.items.filter((_, index) => !lostLines.has(index)) }
  for (const { field } of faults) {
    const [top, part] = field.split('.') as [string, string | undefined]
    if (top === 'customer' && part) next.customer = { ...next.customer, [part]: null }
    else if (isMerged(top) && part && next[top]) {
      Object.assign(next, { [top]: { ...next[top], [part]: null } })
    } else if (top === 'order_bumps') next.order_bumps = []
    else if (top === 'discount_codes') Object.assign(next, withoutCodes(input, faults))
    else if (top !== 'items') Object.assign(next, { [top]: null })
  }
  return next
}

/** A code that does not apply is only a warning, since the checkout continues without it. */
function toRefusalMessage({ agent }: Visit, fault: Fault, lines: readonly LinePlace[]): UcpMessage {
  const hasFulfillment = agent.active.has('dev.ucp.shopping.fulfillment')
  const message = toUcpMessage(fault, { lineAt: (index) => lines[index]!.at, hasFulfillment })
  if (message.code === 'discount_code_invalid') {
    return warningMessage(message.code, message.content, message.path)
  }
  const index = /^items\.(\d+)/.exec(fault.field)?.[1]
  const itemId = index === undefined ? undefined : lines[Number(index)]?.itemId
  return itemId ? { ...message, content: `${itemId}: ${message.content}` } : message
}

/** The messages of a rejected change. */
export function refusalMessages(visit: Visit, store: Store, faults: readonly Fault[], read: ReadBody): UcpMessage[] {
  return faults.map((fault) => toRefusalMessage({ ...visit, store }, fault, read.lines))
}
