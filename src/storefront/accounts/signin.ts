// Signing in by email: a link and a code, either of which works once. Both are signatures of the sign-in's ID, so
// the database stores neither, and they can be made again when the email is sent.
import { createHash } from 'node:crypto'
import type { Db, Tx } from '../../kit/database/database.ts'
import { currentTime, sql, type Sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Language } from '../../kit/values/language.ts'
import { equalSecrets, hashSecret, type Vault } from '../../kit/values/secrets.ts'
import { customerWithEmail } from '../../commerce/customers/operations.ts'
import { queueMail } from '../../tenancy/emails/queue.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { openSession } from './session.ts'

export const signInMinutes = 15
/** The maximum of wrong codes in one sign-in. */
const maxTries = 5

type Destination = 'checkout'

type SignInRequest = {
  email: string
  language: Language
  destination: Destination | null
  browser: string
  isMailed: boolean
}

/** `browser` is the secret of the browser that may enter the code. The result is the same for every address. */
export function requestSignIn(tx: Tx, store: Store, vault: Vault, request: SignInRequest): void {
  const { email, language, destination, browser, isMailed } = request
  const id = newUuid()
  tx.later(sql`
    insert into shopper_sign_ins
      (store_id, id, email, link_hash, browser_hash, destination, created_at, expires_at)
    values (${store.id}, ${id}, ${email}, ${hashSecret(signShopperLink(vault, store.id, id))}, ${hashSecret(browser)},
            ${destination}, ${tx.now}, ${new Date(tx.now.getTime() + signInMinutes * 60_000)})`)
  if (isMailed) queueMail(tx, store.id, { id, kind: 'account_sign_in', recipient: email, language, about: {} })
}

export function signShopperLink(vault: Vault, storeId: string, id: string): string {
  return vault.sign(`${storeId} ${id}`, 'link of a shopper')
}

/** Six digits. */
export function deriveShopperCode(vault: Vault, storeId: string, id: string): string {
  const digest = createHash('sha256')
    .update(vault.sign(`${storeId} ${id}`, 'code of a shopper'))
    .digest()
  // 48 bits: what is left over favors no code by more than one in 10^8.
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0')
}

export type PendingSignIn = { id: string; email: string; destination: Destination | null }

function pending(db: Db, storeId: string, condition: Sql): Promise<PendingSignIn | undefined> {
  return db.one<PendingSignIn>(sql`
    select id, email, destination
    from shopper_sign_ins
    where store_id = ${storeId}
      and ${condition}
      and expires_at > ${currentTime}
    order by created_at desc
    limit 1`)
}

/** Changes nothing, so that programs that follow links do not use them up. */
export function findByLink(db: Db, store: Store, link: string): Promise<PendingSignIn | undefined> {
  return pending(db, store.id, sql`link_hash = ${hashSecret(link)}`)
}

/** Finds the latest sign-in of a browser. */
export function findByBrowser(db: Db, store: Store, browser: string): Promise<PendingSignIn | undefined> {
  return pending(db, store.id, sql`browser_hash = ${hashSecret(browser)}`)
}

/** Reads a sign-in for its email. */
export function findById(db: Db, storeId: string, id: string): Promise<PendingSignIn | undefined> {
  return pending(db, storeId, sql`id = ${id}`)
}

/** The cookie value of a browser that has signed in with this email. */
export function signKnownBrowser(vault: Vault, storeId: string, email: string): string {
  return vault.sign(`${storeId} ${email.toLowerCase()}`, 'browser of a shopper')
}

export async function isCustomer(db: Db, storeId: string, email: string): Promise<boolean> {
  const customer = await db.one(sql`
    select
    from customers
    where store_id = ${storeId}
      and lower(email) = lower(${email})
    limit 1`)
  return customer !== undefined
}

/** Null if the customer has no email. */
export async function findEmail(db: Db, store: Store, customerId: string): Promise<string | null> {
  const row = await db.one<{ email: string | null }>(sql`
    select email
    from customers
    where store_id = ${store.id}
      and id = ${customerId}`)
  return row?.email ?? null
}

export type ShopperSignIn = { session: string; customerId: string; destination: Destination | null }

export async function useLink(tx: Tx, store: Store, link: string): Promise<ShopperSignIn | null> {
  const usedSignIn = await tx.one<PendingSignIn>(sql`
    delete from shopper_sign_ins
    where store_id = ${store.id}
      and link_hash = ${hashSecret(link)}
      and expires_at > ${tx.now}
    returning id, email, destination`)
  return usedSignIn ? signIn(tx, store, usedSignIn) : null
}

/**
 * A code counts before it is compared, so that concurrent tries cannot exceed the limit. The caller commits wrong ones
 * too. `left`: the number of remaining tries.
 */
export async function useCode(
  tx: Tx,
  store: Store,
  vault: Vault,
  { browser, code }: { browser: string; code: string },
): Promise<ShopperSignIn | { left: number }> {
  const triedSignIn = await tx.one<PendingSignIn & { tries: number }>(sql`
    update shopper_sign_ins
    set tries = tries + 1
    where store_id = ${store.id}
      and browser_hash = ${hashSecret(browser)}
      and expires_at > ${tx.now}
      and tries < ${maxTries}
    returning id, email, destination, tries`)
  if (!triedSignIn) return { left: 0 }
  if (!equalSecrets(code, deriveShopperCode(vault, store.id, triedSignIn.id)))
    return { left: maxTries - triedSignIn.tries }
  const usedRow = await tx.one(sql`
    delete from shopper_sign_ins
    where store_id = ${store.id}
      and id = ${triedSignIn.id}
    returning id`)
  return usedRow ? signIn(tx, store, triedSignIn) : { left: 0 }
}

/** Finds the oldest customer with this email, as orders do, or creates one. Reading the email verifies it. */
async function signIn(tx: Tx, store: Store, { email, destination }: PendingSignIn): Promise<ShopperSignIn> {
  const customerId = await customerWithEmail(tx, store, email)
  tx.later(sql`
    delete from shopper_sign_ins
    where store_id = ${store.id}
      and lower(email) = lower(${email})`)
  return { session: openSession(tx, store, { customerId, email }), customerId, destination }
}
