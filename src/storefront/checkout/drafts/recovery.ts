// Recovery of an abandoned checkout: its link, its email, and opting out of such emails.
import type { Db, Tx } from '../../../kit/database/database.ts'
import { ApiError, notFound } from '../../../kit/values/errors.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { inStore, raw, sql, type Sql } from '../../../kit/database/sql.ts'
import type { MailKind, MailStatus } from '../../../tenancy/emails/kinds.ts'
import { withdrawConsent } from '../../../commerce/customers/operations.ts'
import { insertMails } from '../../../tenancy/emails/queue.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckoutDeps } from '../checkout.ts'
import { isToken } from '../link.ts'
import { emailHash } from '../../../tenancy/tables/person.ts'
import { refusesMail, sendsRecovery } from '../settlement/mail.ts'
import { continueCheckout, restartCheckout } from '../cart/copies.ts'
import { findCheckout, findRow } from '../cart/operations.ts'
import { addSeconds } from '../states.ts'
import type { Checkout } from '../cart/view.ts'

/**
 * The checkout of a recovery link: the draft itself in the browser that has its token, and otherwise a new one with
 * the same cart. GONE if the draft has expired. Records the first opening of the link.
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

/** Copies the checkout of a link that hands one over; only this browser has the token of the copy. */
export async function openContinuation(
  tx: Tx,
  store: Store,
  link: string,
  { token, deps }: { token?: string | undefined; deps: CheckoutDeps },
): Promise<Checkout> {
  const first = await findRow(tx, store, link)
  const existing = token === undefined ? null : await findRow(tx, store, token).catch(nullIfClientError)
  const copy = existing?.continues === first.id ? existing : null
  // A checkout that has changed since then is copied again.
  const isCurrent = first.order_id ? copy?.order_id : copy && first.updated_at <= copy.created_at
  if (token && isCurrent) return findCheckout(tx, store, token)
  return first.order_id ? findCheckout(tx, store, link) : continueCheckout(tx, store, first, deps)
}

function nullIfClientError(error: unknown): null {
  if (error instanceof ApiError && error.status < 500) return null
  throw error
}

/** Opts the recipient out of the store's recovery emails and marketing. Returns the address; idempotent. */
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
  await withdrawConsent(tx, store, draft.customer_email, { source: 'unsubscribe_link' })
  return draft.customer_email
}

const kind = 'abandoned_checkout' satisfies MailKind
/** An address gets one such email a day from a store. */
const quietSeconds = 24 * 60 * 60
/** A contact that arrives sooner after the checkout began was not typed by hand. */
const pauseSeconds = 2
/** The limit of a store without sales; each order of the last seven days adds one. */
const maxPerHour = 30

/** Queues an email to each shopper who may get one; the others stay withheld. */
export async function queueRecovery(tx: Tx, storeId: string, abandoned: readonly { id: string }[]): Promise<void> {
  const mails = await tx.rows<{ checkout_id: string; status: MailStatus }>(
    inStore(
      storeId,
      sql`
    ${insertMails(tx, kind, ['checkout_id'], writable(tx.now, storeId, abandoned))}
    returning checkout_id, status`,
    ),
  )
  const queued = mails.filter(({ status }) => status === 'queued').map(({ checkout_id }) => checkout_id)
  tx.later(sql`
    update checkouts
    set recovery_mail = 'queued'
    where store_id = ${storeId}
      and id = any(${queued}::uuid[])`)
}

// `not exists` could be planned as a hash of the whole table.
function writable(now: Date, storeId: string, drafts: readonly { id: string }[]): Sql {
  return sql`
      with eligible as materialized (
        select distinct on (lower(checkouts.customer_email)) abandoned.mail_id, checkouts.id, checkouts.customer_email,
          checkouts.locale
        from unnest(${drafts.map(({ id }) => id)}::uuid[], ${drafts.map(newUuid)}::uuid[])
          as abandoned (id, mail_id)
        join checkouts on checkouts.store_id = ${storeId}
          and checkouts.id = abandoned.id
        join stores on stores.id = ${storeId}
        join plans on plans.id = stores.plan_id
        where checkouts.customer_email is not null
          and checkouts.draft_since >= checkouts.created_at + interval '${raw(String(pauseSeconds))} seconds'
          and ${sendsRecovery}
          and not ${refusesMail}
          and (
            select created_at
            from mails as earlier
            where earlier.store_id = ${storeId}
              and lower(earlier.recipient) = lower(checkouts.customer_email)
              and earlier.created_at > ${addSeconds(now, -quietSeconds)}
              and earlier.kind = ${kind}
            limit 1) is null
        order by lower(checkouts.customer_email), checkouts.draft_since desc, checkouts.id
      )
      select ${storeId}::text as store_id, mail_id as id, customer_email as recipient, locale as language,
        eligible.id as checkout_id
      from eligible
      order by eligible.id
      limit greatest(0, ${raw(String(maxPerHour))} + (
          select count(*) from (
            select from orders
            where orders.store_id = ${storeId}
              and orders.created_at > ${addSeconds(now, -7 * 24 * 60 * 60)}
            limit 1000) as placed) - (
          select count(*) from mails as sent
          where sent.store_id = ${storeId}
            and sent.kind = ${kind}
            and sent.created_at > ${addSeconds(now, -60 * 60)}
            and sent.status <> 'suppressed'))`
}

type WithholdReason = 'no_email' | 'off' | 'declined' | 'recent' | 'limited'

/** Why an abandoned checkout got no email, as far as it still shows. */
export async function findWithholdReason(db: Db, storeId: string, id: string): Promise<WithholdReason | null> {
  const row = await db.one<{ reason: WithholdReason }>(sql`
    select case
        when checkouts.customer_email is null then 'no_email'
        when not ${sendsRecovery} then 'off'
        when ${refusesMail} then 'declined'
        when exists (
          select from mails as earlier
          where earlier.store_id = ${storeId}
            and lower(earlier.recipient) = lower(checkouts.customer_email)
            and earlier.kind = ${kind}
            and earlier.created_at between checkouts.abandoned_at - interval '${raw(String(quietSeconds))} seconds'
              and checkouts.abandoned_at) then 'recent'
        else 'limited'
      end as reason
    from checkouts
    join stores on stores.id = ${storeId}
    join plans on plans.id = stores.plan_id
    where checkouts.store_id = ${storeId}
      and checkouts.id = ${id}`)
  return row?.reason ?? null
}

/** Records the outcome of the draft's email. A sent email stays sent. */
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
