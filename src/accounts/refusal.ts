// What a refusal of an operation says on a page, in the language of who looks at it.
import type { ApiError, Code } from '../kit/values/errors.ts'
import type { Say, Word } from './words.ts'

// prettier-ignore
const byCode: Partial<Record<Code, Word>> = {
  NOT_FOUND:           'not_found',
  SCOPE_INSUFFICIENT:  'not_allowed',
  PLAN_LIMIT_EXCEEDED: 'team_full',
  CONFLICT:            'already_member',
  UNAVAILABLE:         'busy',
  INTERNAL_ERROR:      'broken',
}

// prettier-ignore
const byField: Record<string, Word> = {
  email:         'bad_email',
  client_name:   'bad_name',
  redirect_uris: 'bad_redirects',
}

/** `here` is what a code means on this page. */
export function refusalIn(say: Say, error: ApiError, here: typeof byCode = {}): string {
  const { code, details, message } = error
  const field = Array.isArray(details) ? details[0]?.field : undefined
  const word = here[code] ?? byCode[code] ?? byField[field ?? ''] ?? 'bad_input'
  return say(word, { count: /\d+\/\d+/.exec(message)?.[0] ?? '' })
}
