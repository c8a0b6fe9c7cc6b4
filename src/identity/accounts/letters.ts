// Emails to the owner of an account: links that open once, and notices of every change to how they sign in.
import type { Tx } from '../../kit/database/database.ts'
import type { Language } from '../../kit/values/language.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { hashSecret, type Vault } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import type { AccountKind, MailStatus } from '../../tenancy/emails/kinds.ts'
import { queueAccountMail, type AccountValues } from '../../tenancy/emails/queue.ts'
import { linkLifeSeconds } from './links.ts'

/** The recipient, and the language of the page that they used. */
export type Addressee = { email: string; language: Language }

type LinkKind = Extract<AccountKind, 'password_reset' | 'email_confirmation' | 'team_invitation'>

/** Notifies the owner of a change. */
export function notifyOwner(
  tx: Tx,
  { email, language }: Addressee,
  kind: Exclude<AccountKind, LinkKind>,
  values: AccountValues = {},
): void {
  const when = tx.now.toISOString().slice(0, 16).replace('T', ' ')
  queueAccountMail(tx, { kind, recipient: email, language, values: { email, when, ...values } })
}

const linkPaths: Partial<Record<AccountKind, string>> = {
  password_reset: '/oauth/reset',
  email_confirmation: '/oauth/email',
  team_invitation: '/oauth/invitations',
} satisfies Record<LinkKind, string>

/**
 * Queues a link. Its value is a signature of the email's id: the database keeps its hash alone, and it can be made
 * again when the email is sent.
 */
export async function mailLink(
  tx: Tx,
  vault: Vault,
  { email, language }: Addressee,
  { kind, values = {} }: { kind: LinkKind; values?: AccountValues },
  make: (value: string) => Promise<unknown>,
): Promise<void> {
  const id = newUuid()
  await make(linkValue(vault, id))
  queueAccountMail(tx, { id, kind, recipient: email, language, values: { email, ...values } })
}

function linkValue(vault: Vault, mailId: string): string {
  return vault.sign(mailId, 'link of an account email')
}

/** The value and the page of the link in an email; null if it has no link. */
export function buildEmailLink(
  vault: Vault,
  { id, kind }: { id: string; kind: AccountKind },
): { hash: Buffer; path: string } | null {
  const path = linkPaths[kind]
  const value = linkValue(vault, id)
  return path ? { hash: hashSecret(value), path: `${path}/${value}` } : null
}

/** A link becomes valid when its email is sent; an email that reaches nobody opens nothing. */
export function settleLink(
  tx: Tx,
  vault: Vault,
  { id, kind, status }: { id: string; kind: AccountKind; status: MailStatus },
): void {
  const link = buildEmailLink(vault, { id, kind })
  if (!link) return
  const expiresAt = new Date(tx.now.getTime() + (status === 'sent' ? linkLifeSeconds * 1000 : 0))
  tx.later(sql`
    update account_links
    set expires_at = least(expires_at, ${expiresAt}::timestamptz)
    where hash = ${link.hash}`)
}
