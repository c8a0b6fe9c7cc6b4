// The field for a new password.
import { input } from '../../platform/pages/parts.ts'
import { length } from '../accounts/passwordrules.ts'
import type { Html, SignInVisit } from './page.ts'

export function newPassword({ say }: Pick<SignInVisit, 'say'>, fault?: string): Html {
  const about = { autocomplete: 'new-password', hint: say('new_password_hint'), fault, min: length.minimum }
  return input(say('new_password'), { name: 'password', type: 'password', ...about })
}
