// A person whose data is exported or erased, and the conditions for a row to belong to them.
import { sql, type Sql } from '../../kit/database/sql.ts'

/** A contact and the time until which it was theirs. It ends only if another customer has it now. */
export type PersonContact = { value: string; until: Date | null }

/** Emails in lower case, phones as their digits. `ids` are theirs and those of customers merged into this one. */
export type Person = { id: string; ids: string[]; names: string[]; emails: PersonContact[]; phones: PersonContact[] }

/** A person with their store, and the uuids of their orders, comments on these, returns, checkouts and draft orders. */
export type ErasedPerson = Person & {
  storeId: string
  orderIds: string[]
  returnIds: string[]
  checkoutIds: string[]
  commentIds: string[]
  draftOrderIds: string[]
}

/** True if an email address recorded at that time belongs to the person. */
export function buildEmailMatch({ emails }: Person, column: Sql, at: Sql): Sql {
  return isContact(emails, sql`lower(${column})`, at)
}

/** True if a phone number recorded at that time belongs to the person, ignoring how its digits are grouped. */
export function buildPhoneMatch({ phones }: Person, column: Sql, at: Sql): Sql {
  return isContact(phones, sql`regexp_replace(${column}, '\\D', '', 'g')`, at)
}

/** Stands for an address where only proof of it is kept. */
export function emailHash(email: Sql): Sql {
  return sql`sha256(convert_to(lower(${email}), 'UTF8'))`
}

function isContact(contacts: readonly PersonContact[], contact: Sql, at: Sql): Sql {
  const values = contacts.map(({ value }) => value)
  const withEnd = contacts.filter(({ until }) => until !== null)
  const late = withEnd.map(({ value, until }) => sql`(${contact} = ${value} and ${at} > ${until}::timestamptz)`)
  const mine = sql`${contact} = any(${values}::text[])`
  return late.reduce((all, one) => sql`${all} and not ${one}`, mine)
}

/** True if a text contains one of the words. */
export function hasWord(text: Sql, words: readonly string[]): Sql {
  return sql`exists (
        select from unnest(${[...new Set(words)].map((word) => word.toLowerCase())}::text[]) as word
        where strpos(${text}, word) > 0)`
}

/** Words that identify the person in free text. A short name would match inside other words. */
export function listPersonWords({ emails, phones, names }: Person): string[] {
  const full = names.filter((name) => /\S\s/.test(name.trim()))
  return [...emails.map(({ value }) => value), ...phones.map(({ value }) => value).filter(isLong), ...full]
}

const isLong = ({ length }: string) => length >= 7
