// The emails of a person: sent to them, and written by them.
import { sql, type Sql } from '../../kit/database/sql.ts'
import { buildEmailMatch, type ErasedPerson, type Person } from './person.ts'

/** Emails to the person on any subject, except those to the merchant about their orders. */
export function isMailTo(person: ErasedPerson): Sql {
  return sql`(${buildEmailMatch(person, sql`mails.recipient`, sql`mails.created_at`)}
        or (mails.kind not in ('order_notice', 'order_mention', 'return_notice', 'team_summary')
          and (mails.order_id = any(${person.orderIds}::uuid[])
            or mails.checkout_id = any(${person.checkoutIds}::uuid[]))))`
}

/** Messages from the person to the merchant. */
export function buildEnquiryMatch(person: Person): Sql {
  const sender = sql`mails.enquiry ->> 'email'`
  return sql`(mails.enquiry is not null and ${buildEmailMatch(person, sender, sql`mails.created_at`)})`
}
