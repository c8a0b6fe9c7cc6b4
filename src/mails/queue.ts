// Mail is written down with the change that it tells of, in the same transaction; after the commit the sender takes it.
import type { Tx } from '../kit/database/database.ts'
import { newUuid } from '../kit/values/ids.ts'
import type { Language } from '../kit/values/language.ts'
import { join, raw, sql, type Sql } from '../kit/database/sql.ts'
import { ownLanguage } from '../stores/language.ts'
import type { Store } from '../stores/store.ts'
import { announceMail } from './announce.ts'
import type { MailKind } from './kinds.ts'

export const subjects = ['order_id', 'checkout_id', 'fulfillment_id', 'refund_id'] as const

/** What it tells of, as uuids. */
export type Subject = Partial<Record<(typeof subjects)[number], string | null>>

type Addressed = { kind: MailKind; recipient: string; language: Language; about: Subject }

/** One to a customer, unless the store has switched the kind off. */
export function queueMail(tx: Tx, storeId: string, { kind, recipient, language, about }: Addressed): void {
  tx.later(sql`
    insert into mails (${columns})
    select ${cells(tx, storeId, { kind, language, about })}, ${newUuid()}::uuid, ${recipient}
    where ${isWanted(storeId, kind)}`)
  tx.afterCommit(announceMail)
}

type Merchant = Pick<Store, 'id' | 'country_code' | 'default_language'>

const maximumMerchants = 10

/** One to the address that the store has named, else to each owner and admin, in the store's own language. */
export function queueNotice(tx: Tx, store: Merchant, kind: MailKind, about: Subject): void {
  const ids = Array.from({ length: maximumMerchants }, newUuid)
  tx.later(sql`
    with named as (
      select notification_email as email
      from stores
      where id = ${store.id}
        and notification_email is not null
    ), recipients as (
      select email from named
      union all
      (select users.email
      from members
      join users on users.id = members.user_id
      where members.store_id = ${store.id}
        and members.role in ('owner', 'admin')
        and not exists (select from named)
      order by members.created_at, members.user_id
      limit ${raw(String(maximumMerchants))})
    )
    insert into mails (${columns})
    select ${cells(tx, store.id, { kind, language: ownLanguage(store), about })},
      (${ids}::uuid[])[row_number() over ()], email
    from recipients
    where ${isWanted(store.id, kind)}`)
  tx.afterCommit(announceMail)
}

const columns = raw(
  [
    'store_id',
    'kind',
    'language',
    ...subjects,
    'status',
    'next_attempt_at',
    'created_at',
    'request_id',
    'id',
    'recipient',
  ].join(', '),
)

function cells(tx: Tx, storeId: string, { kind, language, about }: Omit<Addressed, 'recipient'>): Sql {
  const told = subjects.map((subject) => sql`${about[subject] ?? null}::uuid`)
  return sql`${storeId}, ${kind}, ${language}, ${join(told, ', ')}, 'queued', ${tx.now}::timestamptz,
      ${tx.now}::timestamptz, ${tx.cause.requestId}`
}

/** Whether the store has not switched it off. */
export function isWanted(storeId: string | Sql, kind: MailKind): Sql {
  return sql`coalesce((
        select is_active
        from mail_settings
        where store_id = ${storeId}
          and kind = ${kind}), true)`
}
