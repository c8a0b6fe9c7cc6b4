// What the dashboard says, in English and Spanish side by side. {name} is filled in.
import { speaker, type Language, type Speak, type WordPairs } from '../../kit/values/language.ts'
import { cartWords } from '../words/carts.ts'
import { customerWords } from '../words/customers.ts'
import { checkoutWords } from '../words/checkout.ts'
import { auditWords } from '../words/audit.ts'
import { developerWords } from '../words/developer.ts'
import { discountWords } from '../words/discounts.ts'
import { frameWords } from '../words/frame.ts'
import { editorWords } from '../words/editor.ts'
import { goodsWords } from '../words/goods.ts'
import { homeWords } from '../words/home.ts'
import { inventoryWords } from '../words/inventory.ts'
import { listWords } from '../words/lists.ts'
import { mailWords } from '../words/mail.ts'
import { logWords } from '../words/log.ts'
import { orderPageWords } from '../words/order.ts'
import { orderWords } from '../words/orders.ts'
import { pickerWords } from '../words/picker.ts'
import { proposalWords } from '../words/proposals.ts'
import { salesWords } from '../words/sales.ts'
import { shopWords } from '../words/shop.ts'
import { storeWords } from '../words/store.ts'
import { securityWords } from '../words/security.ts'
import { teamWords } from '../words/team.ts'
import { webhookWords } from '../words/webhooks.ts'

const messages = {
  ...cartWords,
  ...customerWords,
  ...discountWords,
  ...frameWords,
  ...goodsWords,
  ...editorWords,
  ...homeWords,
  ...inventoryWords,
  ...listWords,
  ...logWords,
  ...orderWords,
  ...orderPageWords,
  ...pickerWords,
  ...proposalWords,
  ...salesWords,
  ...webhookWords,
  ...developerWords,
  ...storeWords,
  ...checkoutWords,
  ...mailWords,
  ...shopWords,
  ...securityWords,
  ...teamWords,
  ...auditWords,
} satisfies WordPairs

export type MessageKey = keyof typeof messages
export type Translate = Speak<MessageKey>

export const translatorFor: (language: Language) => Translate = speaker(messages)

export function isMessageKey(name: string): name is MessageKey {
  return Object.hasOwn(messages, name)
}

/** The word of this name, where there is one. */
export function messageOr(t: Translate, name: string, fallback = name): string {
  return isMessageKey(name) ? t(name) : fallback
}
