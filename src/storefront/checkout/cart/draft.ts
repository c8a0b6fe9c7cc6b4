// A checkout draft as merchants see it: a checkout with contact that was not completed at once.
import type { Db } from '../../../kit/database/database.ts'
import { derive, type Entity } from '../../../kit/declare/field.ts'
import { choice, text, time } from '../../../kit/declare/scalars.ts'
import { count, entityList, loadRecord } from '../../../kit/declare/page.ts'
import { filter, resource, type Json, type ListQuery } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { pick, readonly } from '../../../kit/declare/row.ts'
import { raw, sql } from '../../../kit/database/sql.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { address, checkout, contact, inputFields, statuses, totalFields, type CheckoutDeps } from '../checkout.ts'
import { answers } from '../offers/answers.ts'
import { openToken, recoveryUrl } from '../link.ts'
import { channels } from '../../../commerce/orders/source.ts'

const draftStatuses = statuses.filter((status) => status !== 'completed')

const isDraft = sql`checkouts.draft_since is not null and checkouts.status <> 'completed'`

/** The last step that the shopper completed. A preset method does not count as chosen. */
const draftSteps = ['contact', 'address', 'shipping', 'payment', 'paying'] as const
const draftStep = sql`(case
      when checkouts.has_payments then 'paying'
      when checkouts.payment_method is not null and not 'payment_method' = any(checkouts.presets) then 'payment'
      when checkouts.shipping_method is not null and not 'shipping_method' = any(checkouts.presets) then 'shipping'
      when checkouts.shipping_address is not null then 'address'
      else 'contact'
    end)`

const mailStates = ['none', 'queued', 'sent', 'withheld', 'failed'] as const
const recoveryMail = sql`coalesce(checkouts.recovery_mail, 'none')`

const parts = Object.keys(address.spec.fields!)
const { fields } = checkout
const { items, order_bumps, ...further } = inputFields
const times = pick(fields, ['created_at', 'updated_at', 'abandoned_at', 'recovered_at', 'recovery_opened_at'])

// prettier-ignore
export const draft = resource('checkouts', readonly({
  id:                 fields.id,
  status:             choice(draftStatuses),
  // The column is sealed; withOpenToken opens it.
  recovery_token:     derive(text(), raw('checkouts.token')).nullable()
    .describe('Secret token of the recovery link; null after contact data is purged or if SECRET_KEY has changed'),
  recovery_url:       derive(text({ format: 'uri' }), raw('null::text')).nullable()
    .describe('Recovery link for the shopper; null if recovery_token is null'),
  customer:           derive(contact, sql`
    (select to_json(who)
    from (select customer_name as name, customer_email as email, customer_phone as phone) as who)`),
  ...further,
  shipping_address:   derive(address, raw(`
    (select to_json(place)
    from (select ${parts.map((name) => `shipping_address ->> '${name}' as ${name}`).join(', ')}) as place)`)),
  custom_fields:      derive(answers(), raw(`coalesce(checkouts.custom_fields, '{}')`)),
  items, order_bumps, ...totalFields,
  currency:           fields.currency,
  ...times,
  step:               derive(choice(draftSteps), draftStep)
    .describe('Furthest step reached; paying: the shopper was sent to the payment provider'),
  recovery_mail:      derive(choice(mailStates), recoveryMail)
    .describe('State of the recovery email; withheld: due but not sent, for example because one was sent the same day'),
  recovery_mail_at:   derive(time(), raw('checkouts.letter_sent_at')).nullable()
    .describe('Time the recovery email was sent'),
  order_id:           fields.order_id,
  ...pick(fields, ['channel', 'agent']),
}), {
  status: filter(choice([...draftStatuses, 'all']).default('abandoned'), (status) =>
    (status === 'all' ? isDraft : sql`checkouts.draft_since is not null and checkouts.status = ${status}`)),
  channel: filter(choice(channels).describe('Where the checkout comes from'),
    (channel) => sql`checkouts.channel = ${channel}`),
  email: filter(text({ max: 254 }), (email) => sql`lower(checkouts.customer_email) = lower(${email})`),
}, {
  noun: 'Checkout draft',
  // Each step of its shopper moves its status or the time when it is due.
  narrow: { table: 'listed_checkouts', sorts: ['created_at'], filters: ['status'], knows: ['channel'] },
})

/** The same fields of any checkout: a customer's data has the completed ones too. */
export const checkoutRecord = resource(
  'checkouts',
  { ...draft.fields, status: fields.status },
  {},
  { noun: 'Checkout record' },
)

export type CheckoutDraft = Entity<typeof draft.fields>

export async function listDrafts(db: Db, store: Store, query: ListQuery, deps: CheckoutDeps): Promise<Json<any>> {
  const { data, pagination } = await entityList(db, draft, store, query)
  return json({ data: data.map((row) => withOpenToken(row, store, deps)), pagination })
}

export function countDrafts(db: Db, store: Store, query: Record<string, unknown>): Promise<Json<{ count: number }>> {
  return count(db, draft, store, query)
}

export async function findDraft(db: Db, store: Store, uuid: string, deps: CheckoutDeps): Promise<CheckoutDraft> {
  const [row] = await db.texts(sql`
    select ${draft.columns}
    from checkouts
    where store_id = ${store.id}
      and id = ${uuid}
      and ${isDraft}`)
  return withOpenToken((await loadRecord(db, draft, store.id, row)).entity, store, deps)
}

function withOpenToken(draft: CheckoutDraft, store: Store, { vault }: CheckoutDeps): CheckoutDraft {
  const token = openToken(vault, store.id, draft.id, draft.recovery_token)
  return { ...draft, recovery_token: token, recovery_url: token && recoveryUrl(store, token) } as CheckoutDraft
}
