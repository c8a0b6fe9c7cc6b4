// The way back to a checkout that was left: its link, the mail with it, and who wants no such mail.
import type { Database, Tx } from '../kit/database/database.ts'
import { causeOfJob } from '../kit/values/cause.ts'
import { ApiError, notFound } from '../kit/values/errors.ts'
import { publicId } from '../kit/values/ids.ts'
import type { Language } from '../kit/values/language.ts'
import { hashSecret } from '../kit/values/secrets.ts'
import { raw, sql } from '../kit/database/sql.ts'
import type { Job } from '../platform/process/jobs.ts'
import type { Mail } from '../platform/outbound/mail.ts'
import { linesIn } from '../catalog/lines.ts'
import { translated } from '../stores/language.ts'
import { store as stores, type Store } from '../stores/store.ts'
import { checkout, type CheckoutRow, type CheckoutTools } from './checkout.ts'
import { letterOf, type LetterFacts } from './letter.ts'
import { isToken, openToken } from './link.ts'
import { emailHash } from './mail.ts'
import { beginAgain, findCheckout, findRow } from './operations.ts'
import { later, maximumLetterTries } from './states.ts'
import type { Checkout } from './view.ts'

/**
 * The checkout that a recovery link leads to: the draft itself in the browser that has its token, and so has typed what
 * stands there; in another, one of its own with the same cart. GONE when the draft has expired. That the link was
 * opened is noted, once.
 */
export async function openRecovery(
  tx: Tx,
  store: Store,
  link: string,
  { token, tools }: { token?: string | undefined; tools: CheckoutTools },
): Promise<Checkout> {
  const draft = await findRow(tx, store, link, { byLink: true })
  tx.later(sql`
    update checkouts
    set recovery_opened_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${draft.id}
      and draft_since is not null
      and recovery_opened_at is null`)
  const known = token === undefined ? null : await findRow(tx, store, token).catch(unlessUnknown)
  if (token && known && (known.id === draft.id || known.recovers === draft.id)) return findCheckout(tx, store, token)
  return draft.order_id ? findCheckout(tx, store, link) : beginAgain(tx, store, draft, tools)
}

function unlessUnknown(error: unknown): null {
  if (error instanceof ApiError && error.status < 500) return null
  throw error
}

/** Whoever a recovery mail went to gets no other from this store. Answers the address; again, nothing changes. */
export async function refuseLetters(tx: Tx, store: Store, token: string): Promise<string> {
  const found = isToken(token)
    ? await tx.one<{ customer_email: string | null }>(sql`
    select customer_email
    from checkouts
    where store_id = ${store.id}
      and recovery_hash = ${hashSecret(token)}`)
    : undefined
  if (!found?.customer_email) throw notFound('Checkout')
  tx.later(sql`
    insert into mail_refusals (store_id, email_hash, created_at)
    values (${store.id}, ${emailHash(sql`${found.customer_email}::text`)}, ${tx.now})
    on conflict do nothing`)
  return found.customer_email
}

const batchSize = 10
/** One address gets one mail a day from a store, however many carts were left. */
const quietSeconds = 24 * 60 * 60
/** A contact that comes sooner after the checkout began was typed by no hand. */
const pauseSeconds = 2
/** What a store may send that sells nothing; each order of the last seven days adds one. A flood is not made up for. */
const lettersPerHour = 30

/** Sends what the sweep has put down. A server that takes none is asked again after 5, 20, 80 and 320 minutes. */
export function letterJob(db: Database, mail: Mail, tools: CheckoutTools, everySeconds: number): Job {
  const name = 'send recovery mail'
  const inItsName = db.because(causeOfJob(name))
  return {
    name,
    everySeconds,
    async run(tx) {
      const claimed = await claimLetters(tx)
      const wanted = onePerAddress(claimed.filter(({ is_wanted }) => is_wanted))
      return { more: claimed.length === batchSize, afterwards: () => deliverAll(inItsName, mail, tools, wanted) }
    },
  }
}

const storefrontUrl = stores.fields.storefront_url.spec.expression!

type Claimed = LetterFacts & CheckoutRow & { store_id: string; translated: Language[]; is_wanted: boolean }

// Not `not exists`: that may be planned as a hash of all that there is.
/** A claim is a try: should this process end before it is sent, it is tried again as if the server had refused. */
function claimLetters(tx: Tx): Promise<Claimed[]> {
  return tx.rows<Claimed>(sql`
    with due as materialized (
      select checkouts.store_id, checkouts.id, stores.name as store_name, stores.country_code, stores.reply_to_email,
        stores.translated, ${storefrontUrl} as storefront_url,
        checkouts.status = 'abandoned'
          and checkouts.customer_email is not null
          and checkouts.draft_since >= checkouts.created_at + interval '${raw(String(pauseSeconds))} seconds'
          and (
            select count(*) from checkouts as sent
            where sent.store_id = checkouts.store_id
              and sent.letter_sent_at > ${later(tx.now, -60 * 60)}) < ${raw(String(lettersPerHour))} + (
            select count(*) from (
              select from orders
              where orders.store_id = checkouts.store_id
                and orders.created_at > ${later(tx.now, -7 * 24 * 60 * 60)}
              limit 1000) as placed)
          and stores.status = 'active'
          and stores.recovery_email_enabled
          and 'abandoned_checkouts' = any(plans.features)
          and (
            select created_at from mail_refusals
            where mail_refusals.store_id = checkouts.store_id
              and mail_refusals.email_hash = ${emailHash(sql`checkouts.customer_email`)}) is null
          and (
            select letter_sent_at from checkouts as other
            where other.store_id = checkouts.store_id
              and lower(other.customer_email) = lower(checkouts.customer_email)
              and other.letter_sent_at > ${later(tx.now, -quietSeconds)}
            limit 1) is null as is_wanted
      from checkouts
      join stores on stores.id = checkouts.store_id
      join plans on plans.id = stores.plan_id
      where checkouts.letter_due_at <= ${tx.now}
      order by checkouts.letter_due_at
      limit ${raw(String(batchSize))}
      for update of checkouts skip locked
    )
    update checkouts
    set letter_tries = letter_tries + 1,
        letter_due_at = case when due.is_wanted and letter_tries + 1 < ${maximumLetterTries}
          then ${tx.now}::timestamptz + interval '5 minutes' * power(4, letter_tries) end
    from due
    where checkouts.store_id = due.store_id
      and checkouts.id = due.id
    returning ${checkout.row.columns}, checkouts.store_id, due.store_name, due.country_code, due.reply_to_email,
      due.translated, due.storefront_url, due.is_wanted`)
}

/** The others come again, and find that it was sent. */
function onePerAddress(claimed: Claimed[]): Claimed[] {
  const byAddress = new Map(claimed.map((one) => [`${one.store_id} ${one.customer_email!.toLowerCase()}`, one]))
  return [...byAddress.values()]
}

async function deliverAll(db: Database, mail: Mail, { vault }: CheckoutTools, wanted: Claimed[]): Promise<void> {
  const results = await Promise.allSettled(
    wanted.map(async (one) => {
      const token = openToken(vault, one.store_id, publicId('chk', one.id), one.token)
      if (!token) return
      const items = await linesIn(db, one.store_id, translated(one, one.locale), one.items)
      const { error } = await mail.deliver({ ...letterOf({ ...one, items }, token), storeId: one.store_id })
      if (error !== null) throw new Error(error)
      await db.transaction(async (tx) =>
        tx.later(sql`
      update checkouts
      set letter_due_at = null, letter_sent_at = ${tx.now}
      where store_id = ${one.store_id}
        and id = ${one.id}`),
      )
    }),
  )
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}
