// The way back to a checkout that was left: its link, the email with it, and who wants no such email.
import type { Tx } from '../../../kit/database/database.ts'
import { ApiError, notFound } from '../../../kit/values/errors.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { raw, sql, type Sql } from '../../../kit/database/sql.ts'
import type { MailKind, MailStatus } from '../../../tenancy/emails/kinds.ts'
import { insertMails } from '../../../tenancy/emails/queue.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckoutDeps } from '../checkout.ts'
import { isToken } from '../link.ts'
import { emailHash, refusesMail, sendsRecovery } from '../settlement/mail.ts'
import { restartCheckout, findCheckout, findRow } from '../cart/operations.ts'
import { addSeconds } from '../states.ts'
import type { Checkout } from '../cart/view.ts'

/**
 * The checkout that a recovery link leads to: the draft itself in the browser that has its token, and so has typed what
 * stands there; in another, one of its own with the same cart. GONE when the draft has expired. That the link was
 * opened is noted, once.
 */
export async function openRecovery(
  tx: Tx,
  store: Store,
  link: string,
  { token, deps }: { token?: string | undefined; deps: CheckoutDeps },
): Promise<Checkout> {
  const draft = await findRow(tx, store, link, { byLink: true })
  tx.later(sql`
    update checkouts
    set recovery_opened_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${draft.id}
      and draft_since is not null
      and recovery_opened_at is null`)
  const existing = token === undefined ? null : await findRow(tx, store, token).catch(nullIfClientError)
  if (token && existing && (existing.id === draft.id || existing.recovers === draft.id))
    return findCheckout(tx, store, token)
  return draft.order_id ? findCheckout(tx, store, link) : restartCheckout(tx, store, draft, deps)
}

function nullIfClientError(error: unknown): null {
  if (error instanceof ApiError && error.status < 500) return null
  throw error
}

/** Whoever a recovery mail went to gets no other from this store. Answers the address; again, nothing changes. */
export async function declineRecoveryMail(tx: Tx, store: Store, token: string): Promise<string> {
  const draft = isToken(token)
    ? await tx.one<{ customer_email: string | null }>(sql`
    select customer_email
    from checkouts
    where store_id = ${store.id}
      and recovery_hash = ${hashSecret(token)}`)
    : undefined
  if (!draft?.customer_email) throw notFound('Checkout')
  tx.later(sql`
    insert into mail_refusals (store_id, email_hash, created_at)
    values (${store.id}, ${emailHash(sql`${draft.customer_email}::text`)}, ${tx.now})
    on conflict do nothing`)
  return draft.customer_email
}

const kind = 'abandoned_checkout' satisfies MailKind
/** One address gets one such email a day from a store, however many carts were left. */
const quietSeconds = 24 * 60 * 60
/** A contact that comes sooner after the checkout began was typed by no hand. */
const pauseSeconds = 2
/** What a store may send that sells nothing; each order of the last seven days adds one. A flood is not made up for. */
const maxPerHour = 30

/** Queues an email to each shopper who may get one; the others stay as the sweep has left them, withheld. */
export function queueRecovery(tx: Tx, abandoned: readonly { store_id: string; id: string }[]): void {
  tx.later(sql`
    with queued as (
      ${insertMails(tx, kind, ['checkout_id'], writable(tx.now, abandoned))}
      returning store_id, checkout_id, status
    )
    update checkouts
    set recovery_mail = 'queued'
    from queued
    where checkouts.store_id = queued.store_id
      and checkouts.id = queued.checkout_id
      and queued.status = 'queued'`)
}

// Not `not exists`: that may be planned as a hash of all that there is.
function writable(now: Date, abandoned: readonly { store_id: string; id: string }[]): Sql {
  return sql`
      with eligible as materialized (
        select distinct on (checkouts.store_id, lower(checkouts.customer_email)) checkouts.store_id, abandoned.mail_id,
          checkouts.id, checkouts.customer_email, checkouts.locale
        from unnest(${abandoned.map(({ store_id }) => store_id)}::text[], ${abandoned.map(({ id }) => id)}::uuid[],
          ${abandoned.map(newUuid)}::uuid[]) as abandoned (store_id, id, mail_id)
        join checkouts on checkouts.store_id = abandoned.store_id
          and checkouts.id = abandoned.id
        join stores on stores.id = checkouts.store_id
        join plans on plans.id = stores.plan_id
        where checkouts.customer_email is not null
          and checkouts.draft_since >= checkouts.created_at + interval '${raw(String(pauseSeconds))} seconds'
          and ${sendsRecovery}
          and not ${refusesMail}
          and (
            select created_at
            from mails as earlier
            where earlier.store_id = checkouts.store_id
              and lower(earlier.recipient) = lower(checkouts.customer_email)
              and earlier.created_at > ${addSeconds(now, -quietSeconds)}
              and earlier.kind = ${kind}
            limit 1) is null
        order by checkouts.store_id, lower(checkouts.customer_email), checkouts.draft_since desc, checkouts.id
      ), rooms as materialized (
        select stores.id as store_id, ${raw(String(maxPerHour))} + (
            select count(*) from (
              select from orders
              where orders.store_id = stores.id
                and orders.created_at > ${addSeconds(now, -7 * 24 * 60 * 60)}
              limit 1000) as placed) - (
            select count(*) from mails as sent
            where sent.store_id = stores.id
              and sent.kind = ${kind}
              and sent.created_at > ${addSeconds(now, -60 * 60)}
              and sent.status <> 'suppressed') as count
        from stores
        where stores.id in (select store_id from eligible)
      ), numbered as (
        select eligible.*, row_number() over (partition by store_id order by id) as position
        from eligible
      )
      select numbered.store_id, mail_id as id, customer_email as recipient, locale as language,
        numbered.id as checkout_id
      from numbered
      join rooms on rooms.store_id = numbered.store_id
        and numbered.position <= rooms.count`
}

/** What the draft says of its email once that is over. One that was sent stays sent. */
export function settleRecovery(
  tx: Tx,
  storeId: string,
  { checkout_id, status }: { checkout_id: string | null; status: MailStatus },
): void {
  const state = { sent: 'sent', suppressed: 'withheld' }[status as string] ?? 'failed'
  tx.later(sql`
    update checkouts
    set recovery_mail = ${state},
        letter_sent_at = ${state === 'sent' ? tx.now : null}
    where store_id = ${storeId}
      and id = ${checkout_id}::uuid
      and recovery_mail is distinct from 'sent'`)
}
