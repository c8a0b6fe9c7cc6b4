// A visitor's message to the merchant, sent only to the address that the store has set.
import type { Tx } from '../../kit/database/database.ts'
import { sql, bindStore } from '../../kit/database/sql.ts'
import { email, text } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { ownLanguage } from '../stores/language.ts'
import type { Store } from '../stores/store.ts'
import type { MailKind } from './kinds.ts'
import { insertMails, isWanted } from './queue.ts'

const kind: MailKind = 'contact_message'
const oneLine = '^[^\\r\\n]*$'

// prettier-ignore
export const newEnquiry = createBody({
  name:    text({ min: 1, max: 100, pattern: oneLine }).nullable().personal().example('Ana Torres'),
  email:   email().required().personal().example('ana@example.com').describe('Email address for the reply'),
  message: text({ min: 1, max: 5000 }).required().personal().example('Is the backpack waterproof?'),
})

export type Enquiry = { name: string | null; email: string; message: string }

/** Columns of the store. If both are null, messages cannot be delivered. */
const recipient = sql`coalesce(stores.notification_email, stores.contact_email)`

/** True if the row of `stores` has an address for messages. */
export const takesEnquiries = sql`(${recipient} is not null and ${isWanted(bindStore('stores.id'), kind)})`

/** False if the store has no address for messages. */
export async function queueEnquiry(
  tx: Tx,
  store: Pick<Store, 'id' | 'country_code' | 'default_language'>,
  { name, email, message }: { name?: string | null | undefined; email: string; message: string },
): Promise<boolean> {
  const enquiry: Enquiry = { name: name ?? null, email, message }
  const [row] = await tx.rows(sql`${insertMails(
    tx,
    kind,
    ['enquiry'],
    sql`select stores.id as store_id, ${newUuid()}::uuid as id, ${recipient} as recipient,
        ${ownLanguage(store)}::text as language, ${JSON.stringify(enquiry)}::json as enquiry
      from stores
      where stores.id = ${store.id}
        and ${recipient} is not null`,
  )}
    returning id`)
  return row !== undefined
}
