// The parts of each email about an order, or about an order that was not placed yet.
import type { OrderMail } from '../../tenancy/emails/kinds.ts'
import type { OrderFacts } from './facts.ts'
import type { LetterContent } from './letter.ts'
import * as parts from './parts.ts'
import { howToReturn, returnedItems, whyDeclined } from './returns.ts'
import { oneLine } from './safe.ts'
import { buildLetterSender } from './store.ts'

const { greeting, introduction, instructions, tracking, button, bill, payment, delivery, answers, keep } = parts
const { expiry, refund, cancellation, notYou, customer, note, picture, unsubscribe } = parts

// prettier-ignore
const partsOf: Record<OrderMail, parts.LetterPart[]> = {
  order_confirmation: [greeting, introduction, instructions, button, bill, payment, delivery, answers, keep],
  order_notice:       [introduction, button, customer, bill, payment, delivery, answers, note],
  order_mention:      [introduction, button],
  order_paid:         [greeting, introduction, button, bill],
  order_shipped:      [greeting, introduction, tracking, button],
  order_refunded:     [greeting, introduction, refund, button],
  order_cancelled:    [greeting, introduction, cancellation, button, bill],
  return_requested:   [greeting, introduction, returnedItems, button],
  return_approved:    [greeting, introduction, howToReturn, returnedItems, button],
  return_declined:    [greeting, introduction, whyDeclined, returnedItems, button],
  return_notice:      [introduction, button, returnedItems, customer],
  payment_request:    [greeting, introduction, button, bill],
  order_link:         [greeting, introduction, button, notYou],
  draft_order_link:   [greeting, introduction, button, expiry, bill],
  draft_order_blocked: [introduction, button, customer, bill],
  payment_failed:     [greeting, introduction, button, bill, notYou, unsubscribe],
  abandoned_checkout: [greeting, introduction, picture, button, bill, unsubscribe],
}

export function orderLetter(kind: OrderMail, facts: OrderFacts): LetterContent {
  const { store, language } = facts
  return {
    language,
    subject: oneLine(parts.storeText(kind, facts, 'subject')),
    sender: buildLetterSender(store),
    blocks: partsOf[kind].flatMap((part) => part(facts, kind)),
  }
}
