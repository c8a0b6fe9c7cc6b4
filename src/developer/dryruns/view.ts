// Shows a caller the parts of a dry run that its scopes cover, and says that there is more.
import { changeSchema } from '../auditlog/entry.ts'
import { getScopeNoun } from '../auditlog/nouns.ts'
import { sensitive, type JsonSchema } from '../../kit/declare/field.ts'
import { eventTypes } from '../webhooks/events.ts'
import { storeKinds } from '../../tenancy/emails/kinds.ts'
import type { Rehearsal } from './writes.ts'

export type DryRunView = Partial<Rehearsal> & { withheld: string[] }

type DryRunPart = Exclude<keyof Rehearsal, 'changes'>

// prettier-ignore
const visibleParts: { [part in DryRunPart]: string } = {
  stock_movements:   'read:inventory',
  events:            'read:webhooks',
  deliveries:        'read:webhooks',
  mails:             'read:orders',
  provider_requests: 'read:orders',
}

/** `withheld` names the scopes that would show more; an empty part withholds nothing. */
export function dryRunViewFor(scopes: ReadonlySet<string>, rehearsal: Rehearsal): DryRunView {
  const withheld = new Set<string>()
  const mayRead = (scope: string) => {
    if (!scopes.has(scope)) withheld.add(scope)
    return scopes.has(scope)
  }
  const parts = Object.entries(visibleParts) as [DryRunPart, string][]
  const visible = parts.filter(([part, scope]) => rehearsal[part].length === 0 || mayRead(scope))
  return {
    changes: rehearsal.changes.filter(({ resource }) => mayRead(`read:${getScopeNoun(resource)}`)),
    ...Object.fromEntries(visible.map(([part]) => [part, rehearsal[part]])),
    withheld: [...withheld],
  }
}

const text: JsonSchema = { type: 'string' }

function objects(properties: Record<string, JsonSchema>, description: string): JsonSchema {
  return { type: 'array', description, items: { type: 'object', properties, required: Object.keys(properties) } }
}

// prettier-ignore
export const rehearsalSchema: JsonSchema = {
  title: 'Rehearsal',
  type: 'object',
  description: 'Side effects the request would have; only with `Prefer: dry-run`',
  properties: {
    changes: { type: 'array', items: changeSchema, description: 'Records that would change, before and after' },
    stock_movements: objects({
      product_id: text, variant_id: { type: ['string', 'null'] }, quantity: { type: 'integer' },
      stock_after: { type: 'integer' }, reason: text,
    }, 'Stock movements that would be recorded'),
    events: objects({
      event: { type: 'string', enum: [...eventTypes] }, body: { type: 'object', description: 'Webhook payload' },
    }, 'Events that would be emitted, with their payloads'),
    deliveries: objects({ webhook_id: text, event: text }, 'Webhooks that would be called'),
    mails: objects({
      kind: { type: 'string', enum: [...storeKinds] }, recipient: { type: ['string', 'null'], [sensitive]: true },
      language: text,
    }, 'Emails that would be sent'),
    provider_requests: objects({ asks: { type: 'string', enum: ['refund', 'capture', 'release'] }, id: text },
      'Requests that would be sent to the payment provider, with the refund or payment'),
    withheld: { type: 'array', items: text, description: 'Scopes required to see what is withheld' },
  },
  required: ['withheld'],
}
