// Consent to marketing: where, when and with which words. Consents are never changed: each change of accepts_marketing
// is another one. They prove the consent (GDPR article 7(1)), also after the person is erased (article 17(3)(e)), and
// so know the address only by its hash.
import { complete, object } from '../../../kit/declare/composites.ts'
import { filter, resource } from '../../../kit/declare/resource.ts'
import { choice, id, text, time } from '../../../kit/declare/scalars.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { emailHash } from '../../../tenancy/tables/person.ts'

/** `other`: older than the record of sources. */
export const consentSources = ['checkout', 'account', 'import', 'staff', 'api', 'unsubscribe_link', 'other'] as const
export type ConsentSource = (typeof consentSources)[number]

const source = () =>
  choice(consentSources).example('checkout').describe('Where the customer agreed, or withdrew their consent')
const wording = () =>
  text({ max: 500 }).nullable().example('Email me about news and offers').describe('Sentence that the customer saw')
const state = () => choice(['subscribed', 'unsubscribed']).example('subscribed').describe('Whether the customer agreed')

// prettier-ignore
const consentFields = {
  state: state(),
  source: source(),
  text: wording(),
  consented_at: text({ max: 64, format: 'date-time' }).nullable().example('2026-03-05T15:00:00.000Z')
    .describe('Time of the consent in force, or of the one that was withdrawn; null if there was none'),
  changed_at: text({ max: 64, format: 'date-time' }).example('2026-03-05T15:00:00.000Z')
    .describe('Time of the last change'),
}

/** A time inside of JSON. */
const moment = () => time().becomes((at) => at.toISOString())

const consentInput = object({
  source: source(),
  text: wording(),
  consented_at: moment().nullable().describe('Time of the consent; now if left out'),
})

export type MarketingConsent = NonNullable<ReturnType<typeof marketingConsent>['type']>['value']
/** `source` defaults to that of the request, `consented_at` to its time. */
export type ConsentInput = { source?: ConsentSource; text?: string | null; consented_at?: string | null }

/** The consent in force. Bodies say with it how accepts_marketing came to change. */
export const marketingConsent = () =>
  complete(consentFields).takes(consentInput.describe('How the customer agreed').nullable() as never)

export const consentRecord = resource(
  'marketing_consents',
  {
    id: id('mcon').readonly(),
    customer_id: id('cus').readonly().describe('ID of the customer, who may have been erased'),
    state: state().readonly(),
    source: source().readonly(),
    text: wording().readonly(),
    created_at: time().readonly().sortable().describe('Time of the change'),
  },
  {
    customer_id: filter(
      text({ max: 100 }).describe('Only consents of this customer, by their ID'),
      (customerId) => sql`marketing_consents.customer_id = ${toUuid('cus', customerId)}`,
    ),
    email: filter(
      text({ max: 254 }).describe('Only consents with this address, also of erased customers'),
      (address) => sql`marketing_consents.email_hash = ${emailHash(sql`${address}::text`)}`,
    ),
  },
  { noun: 'Marketing consent' },
)
