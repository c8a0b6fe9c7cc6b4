// Sends all email: composes each kind, and handles the result.
import { causeOfJob } from '../../kit/values/cause.ts'
import type { Database } from '../../kit/database/database.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { Mail } from '../../platform/outbound/mail.ts'
import type { Log } from '../../platform/process/log.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import { settleLink } from '../../identity/accounts/letters.ts'
import { listAppsOfUser } from '../../identity/oauth/usergrants.ts'
import { isAccountKind } from '../../tenancy/emails/kinds.ts'
import { composer } from './compose.ts'
import type { ExtensionLetters } from './extension.ts'
import { openSender, type MailSender } from '../../tenancy/emails/sender.ts'
import { settleRecovery } from '../checkout/drafts/recovery.ts'

type MailParts = {
  authUrl: string
  db: Database
  mail: Mail
  limiter: RateLimiter
  log: Log
  deps: { vault: Vault }
  perMinute: number
  /** Emails that extensions compose. */
  letters: ExtensionLetters
}

export function openMailSender(parts: MailParts): MailSender {
  const { authUrl, db, mail, limiter, log, deps, perMinute, letters } = parts
  const { vault } = deps
  return openSender({
    db: db.because(causeOfJob('send mail')),
    mail,
    compose: composer(db, { vault, siteUrl: authUrl, listApps: listAppsOfUser }, letters),
    settle(tx, { kind, ...sent }) {
      if (isAccountKind(kind)) settleLink(tx, vault, { kind, ...sent })
      if (kind === 'abandoned_checkout') settleRecovery(tx, sent.store_id, sent)
    },
    limiter,
    log,
    perMinute,
  })
}
