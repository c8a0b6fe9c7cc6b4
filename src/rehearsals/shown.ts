// Of a rehearsal a caller sees what its scopes let it read elsewhere; of the rest, that there is more.
import type { JsonSchema } from '../kit/declare/field.ts'
import { eventTypes } from '../events/emit.ts'
import { mailKinds } from '../mails/kinds.ts'
import type { Rehearsal } from './rehearsal.ts'

export type Shown = Partial<Rehearsal> & { withheld: string[] }

// prettier-ignore
const readBy: { [part in keyof Rehearsal]: string } = {
  stock_movements:   'read:inventory',
  events:            'read:webhooks',
  deliveries:        'read:webhooks',
  mails:             'read:orders',
  provider_requests: 'read:orders',
}

const parts = Object.keys(readBy) as (keyof Rehearsal)[]

/** `withheld` names the scopes that would show more; of a part that is empty nothing is withheld. */
export function shownTo(scopes: ReadonlySet<string>, rehearsal: Rehearsal): Shown {
  const isHidden = (part: keyof Rehearsal) => rehearsal[part].length > 0 && !scopes.has(readBy[part])
  const shown = parts.filter((part) => !isHidden(part)).map((part) => [part, rehearsal[part]])
  const withheld = new Set(parts.filter(isHidden).map((part) => readBy[part]))
  return { ...Object.fromEntries(shown), withheld: [...withheld] }
}

const text: JsonSchema = { type: 'string' }

function objects(properties: Record<string, JsonSchema>, description: string): JsonSchema {
  return { type: 'array', description, items: { type: 'object', properties, required: Object.keys(properties) } }
}

// prettier-ignore
export const rehearsalSchema: JsonSchema = {
  title: 'Rehearsal',
  type: 'object',
  description: 'What else the request would do: only with `Prefer: dry-run`',
  properties: {
    stock_movements: objects({
      product_id: text, variant_id: { type: ['string', 'null'] }, quantity: { type: 'integer' },
      stock_after: { type: 'integer' }, reason: text,
    }, 'As the inventory would list them'),
    events: objects({ event: { type: 'string', enum: [...eventTypes] }, body: { type: 'object' } },
      'With the bodies that receivers would get'),
    deliveries: objects({ webhook_id: text, event: text }, 'To which webhooks events would go'),
    mails: objects({ kind: { type: 'string', enum: [...mailKinds] }, recipient: text, language: text },
      'To whom mail would go'),
    provider_requests: objects({ asks: { type: 'string', enum: ['refund', 'capture', 'release'] }, id: text },
      'What a provider of payments would be asked, and for which refund or payment'),
    withheld: { type: 'array', items: text, description: 'The scopes that would show more of it' },
  },
  required: ['withheld'],
}
