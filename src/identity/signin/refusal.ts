// The text of a rejected operation on a page, in the reader's language.
import type { ApiError, Code } from '../../kit/values/errors.ts'
import type { accountFaults } from '../accounts/errors.ts'
import type { SignInTranslate, SignInMessageKey } from './messages.ts'

// prettier-ignore
const byCode: Partial<Record<Code, SignInMessageKey>> = {
  NOT_FOUND:           'not_found',
  SCOPE_INSUFFICIENT:  'not_allowed',
  PLAN_LIMIT_EXCEEDED: 'team_full',
  CONFLICT:            'already_member',
  UNAVAILABLE:         'busy',
  INTERNAL_ERROR:      'broken',
}

/** The text for each code of a field's fault; `else` covers the other codes. */
type RefusalWording = Partial<Record<keyof typeof accountFaults, SignInMessageKey>> & { else: SignInMessageKey }

// prettier-ignore
const wordings: Record<string, RefusalWording> = {
  email:    { else: 'bad_email' },
  password: { password_length: 'password_length', password_common: 'password_common',
              password_repeated: 'password_repeated', password_personal: 'password_personal', else: 'bad_input' },
  body:     { else: 'bad_input' },
}

/** `here` is what a code means on this page. */
export function refusalIn(say: SignInTranslate, error: ApiError, here: typeof byCode = {}): string {
  const { code, faults, values } = error
  const [fault] = faults
  const wording = wordings[fault?.field ?? 'body'] ?? wordings.body!
  const word =
    here[code] ??
    byCode[code] ??
    (fault && (wording as Partial<Record<string, SignInMessageKey>>)[fault.code]) ??
    wording.else
  return say(word, { ...fault?.values, ...values })
}
