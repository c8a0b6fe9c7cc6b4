// A new password: its field, and the letter that tells of it.
import type { Letter } from '../platform/outbound/mail.ts'
import { input } from '../pages/parts.ts'
import { length } from '../accounts/passwordrules.ts'
import type { Html, Visit } from './page.ts'

export function newPassword({ say }: Pick<Visit, 'say'>, fault?: string): Html {
  const about = { autocomplete: 'new-password', hint: say('new_password_hint'), fault, min: length.minimum }
  return input(say('new_password'), { name: 'password', type: 'password', ...about })
}

export function changedLetter({ db, say, siteUrl }: Visit, email: string): Letter {
  const when = db.clock.now().toISOString().slice(0, 16).replace('T', ' ')
  const text = say('changed_mail', { when, link: `${siteUrl}/oauth/reset` })
  return { to: email, subject: say('changed_mail_subject'), text }
}
