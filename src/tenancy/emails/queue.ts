// All emails are queued here, in the transaction of the change that they are about. The sender takes them after the
// commit.
import type { Topic } from '../../kit/database/bus.ts'
import type { Tx } from '../../kit/database/database.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { empty, hasRow, join, raw, records, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import { ownLanguage } from '../stores/language.ts'
import type { Store } from '../stores/store.ts'
import { getDelaySeconds, isAccountKind, getMailKind } from './kinds.ts'
import type { AccountKind, AnyKind, MailKind, StoreKind } from './kinds.ts'
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
function toPerson(kind: StoreKind, columns: readonly MailColumn[]): Sql {
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
  tx.later(
    insertMails(
      tx,
      kind,
      columnsOf(about),
      sql`select ${selectMerchants(store)}${cells(about)}
      from (${merchants(store.id)}) as recipients`,
    ),
  )
}

const selectMerchants = (store: Merchant) => sql`${store.id}::text as store_id,
        (${Array.from({ length: maxMerchants }, newUuid)}::uuid[])[row_number() over ()] as id,
        email as recipient, ${ownLanguage(store)}::text as language`

const merchants = (storeId: string) => sql`
      select notification_email as email
      from stores
      where id = ${storeId}
        and notification_email is not null
      union all
      (select users.email
      from members
      join users on users.id = members.user_id
      where members.store_id = ${storeId}
        and members.role in ('owner', 'admin')
        and (select notification_email from stores where id = ${storeId}) is null
      order by members.created_at, members.user_id
      limit ${raw(String(maxMerchants))})`

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

/** The extension and the name by which it composes the email, and values for that. */
type ExtensionMailValues = AccountValues & { extension: string; letter: string }

type ExtensionMail = {
  recipient: string
  language: Language
  values: ExtensionMailValues
  /** Lists the email among those of the order. */
  order_id?: string | null
}

const maxValueLength = 2000

/** Queues emails that an extension composes when they are sent. */
export function queueExtensionMails(tx: Tx, storeId: string, mails: readonly ExtensionMail[]): void {
  if (mails.length === 0) return
  const rows = mails.map(({ recipient, language, values, order_id = null }) => {
    const account = JSON.stringify(values)
    if (account.length > maxValueLength) throw new Error(`the values of ${values.letter} exceed ${maxValueLength}`)
    return { id: newUuid(), recipient, language, account, order_id }
  })
  const columns = mails.some(({ order_id }) => order_id) ? (['account', 'order_id'] as const) : (['account'] as const)
  const types = { id: 'uuid', recipient: 'text', language: 'text', account: 'json', order_id: 'uuid' }
  const queued = records('queued', types, rows)
  tx.later(insertMails(tx, 'extension', columns, sql`select ${storeId}::text as store_id, queued.* from ${queued}`))
}

/** Queues a notice that an extension composes, to those whom `queueNotice` tells. */
export function queueExtensionNotice(tx: Tx, store: Merchant, values: ExtensionMailValues): void {
  const account = JSON.stringify(values)
  if (account.length > maxValueLength) throw new Error(`the values of ${values.letter} exceed ${maxValueLength}`)
  const rows = sql`select ${selectMerchants(store)}, ${account}::json as account
      from (${merchants(store.id)}) as recipients`
  tx.later(insertMails(tx, 'extension', ['account'], rows))
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
