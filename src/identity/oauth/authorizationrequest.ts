// The parameters of an authorization request. RFC 6749 §3.1: those that the server does not know are ignored. The
// library knows more of them, and refuses those of OpenID Connect.
import type { KoaContextWithOIDC } from 'oidc-provider'
import { withoutOfflineAccess } from './registration.ts'

const parameters = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'prompt',
  // Refused by name: they would replace the others.
  'request',
  'request_uri',
]
const prompts = ['none', 'login', 'consent']

export function readAuthorizationRequest(context: KoaContextWithOIDC): void {
  if (context.path !== '/oauth/authorize') return
  const query = Object.fromEntries(
    parameters.flatMap((name) => (context.query[name] === undefined ? [] : [[name, context.query[name]]])),
  )
  const change = (name: string, to: (text: string) => string) => {
    if (typeof query[name] === 'string') query[name] = to(query[name])
  }
  // The library would answer with a page whose script sends a form: the server treats that mode as unknown.
  change('response_mode', (mode) => (mode === 'form_post' ? 'unsupported' : mode))
  change('prompt', (words) => wordsIn(words, (word) => prompts.includes(word)))
  change('scope', withoutOfflineAccess)
  context.query = query
}

function wordsIn(text: string, isKept: (word: string) => boolean): string {
  return text.split(' ').filter(isKept).join(' ')
}
