// The reasons why a call to a stranger's URL fails: seven classes, a sentence for the merchant without addresses, and
// the detail for the operator's log.
import { sentenceOf, type Reason } from '../../kit/values/faults.ts'
export type FailureClass = 'TIMEOUT' | 'DNS' | 'TLS' | 'REFUSED' | 'RESET' | 'BLOCKED_ADDRESS' | 'BAD_RESPONSE'
export type Failure = { error: FailureClass; message: string; detail: string }

/** The stage in which a connection died decides what an unknown error means. */
export type Stage = 'resolve' | 'connect' | 'tls' | 'answer'

const failureByCode: Record<string, [FailureClass, string]> = {
  ECONNREFUSED: ['REFUSED', 'The connection was refused.'],
  EHOSTUNREACH: ['REFUSED', 'The host cannot be reached.'],
  ENETUNREACH: ['REFUSED', 'The host cannot be reached.'],
  ETIMEDOUT: ['TIMEOUT', 'The host did not respond in time.'],
  CERT_HAS_EXPIRED: ['TLS', 'The certificate has expired.'],
  CERT_NOT_YET_VALID: ['TLS', 'The certificate is not valid yet.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['TLS', 'The certificate is for a different host name.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['TLS', 'The certificate is self-signed.'],
  SELF_SIGNED_CERT_IN_CHAIN: ['TLS', 'The certificate was issued by an untrusted authority.'],
  UNABLE_TO_GET_ISSUER_CERT: ['TLS', 'The certificate was issued by an untrusted authority.'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['TLS', 'The certificate was issued by an untrusted authority.'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['TLS', 'The certificate chain is incomplete: no trusted authority was found.'],
  ECONNRESET: ['RESET', 'The connection was closed before the response was complete.'],
  EPIPE: ['RESET', 'The connection was closed before the response was complete.'],
  HPE_INVALID_EOF_STATE: ['RESET', 'The connection was closed before the response was complete.'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['RESET', 'The connection was closed before the response was complete.'],
  UND_ERR_HEADERS_OVERFLOW: ['BAD_RESPONSE', 'The response headers are larger than 16 KiB.'],
}

const failureByStage: Record<Stage, [FailureClass, string]> = {
  resolve: ['DNS', 'The host name does not resolve.'],
  connect: ['REFUSED', 'The host cannot be reached.'],
  tls: ['TLS', 'The TLS handshake failed. The server must support HTTPS.'],
  answer: ['BAD_RESPONSE', 'The response is not valid HTTP.'],
}

export function failureOf(error: Error, stage: Stage): Failure {
  const carried = (error as Failed).failure
  if (carried) return carried
  const [kind, message] = failureByCode[codeIn(error, stage)] ?? failureByStage[stageOf(error, stage)]
  return { error: kind, message, detail: [codeOf(error), error.message].filter(Boolean).join(' ') }
}

/** The merchant's message for an address that is not allowed. */
export function addressNotAllowed(reason: Reason): string {
  return `Address not allowed: it ${sentenceOf(reason)}.`
}

/** An error that carries a finished failure through undici, which passes on errors only. */
export function failureResult(error: FailureClass, message: string, detail: string): Failed {
  return Object.assign(new Error(`${error} ${detail}`), { failure: { error, message, detail } })
}

type Failed = Error & { failure: Failure }

function codeOf(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? '')
}

// A connection that ends within the handshake had no TLS; undici has one code for a closed connection and for a
// malformed response.
function codeIn(error: Error, stage: Stage): string {
  const code = codeOf(error)
  if (stage === 'tls' && code === 'ECONNRESET') return ''
  if (code === 'UND_ERR_SOCKET' && /closed/.test(error.message)) return 'ECONNRESET'
  return code
}

// With TLS 1.3 a server may reject the client after the handshake, by an alert in place of the response.
function stageOf(error: Error, stage: Stage): Stage {
  return codeOf(error).startsWith('ERR_SSL_') ? 'tls' : stage
}
