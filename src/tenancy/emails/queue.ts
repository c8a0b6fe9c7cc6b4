// All emails are queued here, in the transaction of the change that they are about. The sender takes them after the
// commit.
import type { Topic } from '../../kit/database/bus.ts'
import type { Tx } from '../../kit/database/database.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { empty, hasRow, join, raw, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import { ownLanguage } from '../stores/language.ts'
import type { Store } from '../stores/store.ts'
import { getDelaySeconds, isAccountKind, getMailKind, type AccountKind, type AnyKind, type MailKind } from './kinds.ts'
import { suppression } from './limits.ts'

export const subjects = [
  'order_id',
  'checkout_id',
  'fulfillment_id',
  'refund_id',
  'payment_id',
  'draft_order_id',
  'return_id',
] as const
type MailSubjectName = (typeof subjects)[number]

/** The records that an email is about, as uuids. */
export type MailSubject = Partial<Record<MailSubjectName, string | null>>

/** Values that fill the texts of an account email. */
export type AccountValues = Record<string, string | number>

/** Wakes the sender of this process. */
export const mailQueued: Topic<void> = { name: 'mail queued' }

type MailColumn = MailSubjectName | 'enquiry' | 'account'

/**
 * Inserts an email for each row of `rows`, which selects store_id, id, recipient, language and the named columns, for
 * stores that have not disabled the kind. Emails over a limit are stored as suppressed and never sent.
 */
export function insertMails(tx: Tx, kind: AnyKind, columns: readonly MailColumn[], rows: Sql): Sql {
  tx.afterCommit(() => tx.bus.publish(mailQueued, undefined))
  const dueAt = new Date(tx.now.getTime() + getDelaySeconds(kind) * 1000)
  const columnList = raw(['id', 'recipient', 'language', ...columns].join(', '))
  const storeId = isAccountKind(kind) ? raw('limited.store_id') : bindStore('limited.store_id')
  const isSent = isAccountKind(kind)
    ? empty
    : sql`where ${isWanted(bindStore('letters.store_id'), kind)}${toPerson(kind, columns)}`
  return sql`
    insert into mails (store_id, ${columnList}, kind, status, error, next_attempt_at, created_at, request_id)
    select ${storeId}, ${columnList}, ${kind}, case when reason is null then 'queued' else 'suppressed' end, reason,
      case when reason is null then ${dueAt}::timestamptz end, ${tx.now}::timestamptz, ${tx.cause.requestId}
    from (
      select letters.*, ${suppression(kind, tx.now)} as reason
      from (${rows}) as letters
      ${isSent}
      offset 0
    ) as limited`
}

/** An order keeps the address of a customer who was erased, but nothing is sent there, nor recorded with it. */
function toPerson(kind: MailKind, columns: readonly MailColumn[]): Sql {
  if (getMailKind(kind).to !== 'customer' || !columns.includes('order_id')) return empty
  return sql`
        and (letters.order_id is null
          or ${hasRow(sql`from orders
        where orders.store_id = ${bindStore('letters.store_id')}
          and orders.id = letters.order_id
          and orders.customer_id is not null`)})`
}

type CustomerMail = { id?: string; kind: MailKind; recipient: string; language: Language; about: MailSubject }

/** Queues an email to a customer. */
export function queueMail(
  tx: Tx,
  storeId: string,
  { id = newUuid(), kind, recipient, language, about }: CustomerMail,
): void {
  tx.later(
    insertMails(
      tx,
      kind,
      columnsOf(about),
      sql`select ${storeId}::text as store_id, ${id}::uuid as id, ${recipient}::text as recipient,
        ${language}::text as language${cells(about)}`,
    ),
  )
}

type Merchant = Pick<Store, 'id' | 'country_code' | 'default_language'>

const maxMerchants = 10

/** Queues a notice to the store's notification address, or to each owner and admin, in the store's language. */
export function queueNotice(tx: Tx, store: Merchant, kind: MailKind, about: MailSubject): void {
  const ids = Array.from({ length: maxMerchants }, newUuid)
  const recipients = sql`
      select notification_email as email
      from stores
      where id = ${store.id}
        and notification_email is not null
      union all
      (select users.email
      from members
      join users on users.id = members.user_id
      where members.store_id = ${store.id}
        and members.role in ('owner', 'admin')
        and (select notification_email from stores where id = ${store.id}) is null
      order by members.created_at, members.user_id
      limit ${raw(String(maxMerchants))})`
  tx.later(
    insertMails(
      tx,
      kind,
      columnsOf(about),
      sql`select ${store.id}::text as store_id, (${ids}::uuid[])[row_number() over ()] as id,
        email as recipient, ${ownLanguage(store)}::text as language${cells(about)}
      from (${recipients}) as recipients`,
    ),
  )
}

/** Queues an account email. It belongs to no store, and no store can disable it. */
export function queueAccountMail(
  tx: Tx,
  {
    id = newUuid(),
    kind,
    recipient,
    language,
    values,
  }: { id?: string; kind: AccountKind; recipient: string; language: Language; values: AccountValues },
): void {
  tx.later(
    insertMails(
      tx,
      kind,
      ['account'],
      sql`select '' as store_id, ${id}::uuid as id, ${recipient}::text as recipient, ${language}::text as language,
        ${JSON.stringify(values)}::json as account`,
    ),
  )
}

/** Those that are known: a distributed database plans no look-up by null. */
const columnsOf = (about: MailSubject) => subjects.filter((subject) => about[subject])

const cells = (about: MailSubject): Sql =>
  join([empty, ...columnsOf(about).map((subject) => sql`${about[subject]}::uuid as ${raw(subject)}`)], ', ')

/** True unless the store has disabled the kind. */
export function isWanted(storeId: string | Sql, kind: AnyKind): Sql {
  return sql`coalesce((
        select is_active
        from mail_settings
        where mail_settings.store_id = ${storeId}
          and kind = ${kind}), true)`
}
