// Emails about an account. Their links are created when they are sent.
import type { Db } from '../../kit/database/database.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { buildEmailLink } from '../../identity/accounts/letters.ts'
import type { AccountKind } from '../../tenancy/emails/kinds.ts'
import type { ClaimedMail } from '../../tenancy/emails/claim.ts'
import type { AccountValues } from '../../tenancy/emails/queue.ts'
import { accountTranslator } from './messages.ts'
import type { Block, LetterContent } from './letter.ts'
import { oneLine, withoutLinks } from './safe.ts'

export type AccountTools = {
  vault: Vault
  siteUrl: string
  /** Apps that still have access for the person. */
  listApps(db: Db, userId: string): Promise<{ name: string }[]>
}

type AccountMail = Pick<ClaimedMail, 'id' | 'language' | 'account'> & { kind: AccountKind }

/** Composes the email from the current state, or returns why it is not sent anymore. */
export async function accountLetter(
  db: Db,
  { vault, siteUrl, listApps }: AccountTools,
  { id, kind, language, account }: AccountMail,
): Promise<LetterContent | { unwanted: string }> {
  const link = buildEmailLink(vault, { id, kind })
  if (link && !(await isAlive(db, link.hash))) return { unwanted: 'The link in it is no longer valid' }
  const apps = kind === 'password_changed' ? await listApps(db, String(account?.user_id)) : []
  const site = new URL(siteUrl).host
  const t = accountTranslator(language)
  const values = safe({ ...account, site })
  return {
    language,
    subject: oneLine(t(`subject_${kind}`, values)),
    sender: { name: site, url: `${siteUrl}/dashboard` },
    blocks: [
      { kind: 'text', text: t(kind, values) },
      ...(link ? linkBlocks(language, kind, `${siteUrl}${link.path}`) : changeBlocks(language, siteUrl, apps)),
    ],
  }
}

type LetterLanguage = LetterContent['language']

function linkBlocks(language: LetterLanguage, kind: AccountKind, url: string): Block[] {
  const t = accountTranslator(language)
  return [
    { kind: 'button', text: t(`button_${kind}` as 'button_password_reset'), url },
    { kind: 'soft', text: t('ignore') },
  ]
}

function changeBlocks(language: LetterLanguage, siteUrl: string, apps: readonly { name: string }[]): Block[] {
  const t = accountTranslator(language)
  const names = apps.slice(0, maxApps).map(({ name }) => withoutLinks(name))
  const more = apps.length > maxApps ? [t('apps_more', { count: apps.length - maxApps })] : []
  return [
    { kind: 'text', text: t('was_it_you') },
    { kind: 'button', text: t('button_password_reset'), url: `${siteUrl}/oauth/reset` },
    ...(apps.length > 0
      ? [
          { kind: 'facts' as const, facts: [{ name: t('apps'), value: [...names, ...more].join('\n') }] },
          { kind: 'button' as const, text: t('apps_review'), url: `${siteUrl}/oauth/portal/granted` },
        ]
      : []),
  ]
}

/** Keeps typed names in one line, and prevents links. */
function safe(values: AccountValues): AccountValues {
  const { name, store } = values
  const names = Object.entries({ name, store }).filter(([, text]) => text !== undefined)
  return { ...values, ...Object.fromEntries(names.map(([key, text]) => [key, withoutLinks(String(text))])) }
}

async function isAlive(db: Db, hash: Buffer): Promise<boolean> {
  const row = await db.one(sql`
    select from account_links
    where hash = ${hash}
      and expires_at > ${currentTime}
    union all
    select from invitations
    where hash = ${hash}
      and expires_at > ${currentTime}`)
  return row !== undefined
}

const maxApps = 20
