// The reasons why a call to a stranger's URL fails: seven classes, a sentence for the merchant without addresses, and
// the detail for the operator's log.
import { formatReason, type Reason } from '../../kit/values/faults.ts'
export type FailureClass = 'TIMEOUT' | 'DNS' | 'TLS' | 'REFUSED' | 'RESET' | 'BLOCKED_ADDRESS' | 'BAD_RESPONSE'
export type Failure = { error: FailureClass; message: string; detail: string }

/** The stage in which a connection died decides what an unknown error means. */
export type Stage = 'resolve' | 'connect' | 'tls' | 'answer'

// prettier-ignore
const failures = {
  refused:                     ['REFUSED', 'The connection was refused.'],
  unreachable:                 ['REFUSED', 'The host cannot be reached.'],
  no_response:                 ['TIMEOUT', 'The host did not respond in time.'],
  unknown_host:                ['DNS', 'The host name does not resolve.'],
  certificate_expired:         ['TLS', 'The certificate has expired.'],
  certificate_not_yet_valid:   ['TLS', 'The certificate is not valid yet.'],
  certificate_of_another_host: ['TLS', 'The certificate is for a different host name.'],
  certificate_self_signed:     ['TLS', 'The certificate is self-signed.'],
  certificate_untrusted:       ['TLS', 'The certificate was issued by an untrusted authority.'],
  certificate_incomplete:      ['TLS', 'The certificate chain is incomplete: no trusted authority was found.'],
  tls_version:                 ['TLS', 'The TLS version is too old. The server must support TLS 1.2 or later.'],
  tls_cipher:                  ['TLS', 'The TLS handshake failed: there is no common cipher.'],
  http2_only:                  ['TLS', 'The server supports only HTTP/2. It must also support HTTP/1.1.'],
  tls_failed:                  ['TLS', 'The TLS handshake failed. The server must support HTTPS.'],
  closed:                      ['RESET', 'The connection was closed before the response was complete.'],
  address_blocked:             ['BLOCKED_ADDRESS', 'Address not allowed.'],
  headers_too_large:           ['BAD_RESPONSE', 'The response headers are larger than 16 KiB.'],
  not_http:                    ['BAD_RESPONSE', 'The response is not valid HTTP.'],
} as const satisfies Record<string, [FailureClass, string]>

export type FailureCode = keyof typeof failures

const failureByError: Record<string, FailureCode> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'no_response',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_of_another_host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_incomplete',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls_version',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_version',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'http2_only',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': 'tls_cipher',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  HPE_INVALID_EOF_STATE: 'closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'closed',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
}

const failureByStage: Record<Stage, FailureCode> = {
  resolve: 'unknown_host',
  connect: 'unreachable',
  tls: 'tls_failed',
  answer: 'not_http',
}

const failureByClass: Record<FailureClass, FailureCode> = {
  TIMEOUT: 'no_response',
  DNS: 'unknown_host',
  TLS: 'tls_failed',
  REFUSED: 'unreachable',
  RESET: 'closed',
  BLOCKED_ADDRESS: 'address_blocked',
  BAD_RESPONSE: 'not_http',
}

/** The code of a stored failure, for pages that say it in another language. Null if the error is of another kind. */
export function toFailureCode(error: string, message: string | null): FailureCode | null {
  const codes = Object.keys(failures) as FailureCode[]
  return codes.find((code) => failures[code][1] === message) ?? failureByClass[error as FailureClass] ?? null
}

export function classifyFailure(error: Error, stage: Stage): Failure {
  const failure = (error as Failed).failure
  if (failure) return failure
  const [kind, message] = failures[failureByError[codeIn(error, stage)] ?? failureByStage[toFailureStage(error, stage)]]
  return { error: kind, message, detail: [readNodeErrorCode(error), error.message].filter(Boolean).join(' ') }
}

/** The merchant's message for an address that is not allowed. */
export function addressNotAllowed(reason: Reason): string {
  return `Address not allowed: it ${formatReason(reason)}.`
}

/** An error that carries a finished failure through undici, which passes on errors only. */
export function failureResult(error: FailureClass, message: string, detail: string): Failed {
  return Object.assign(new Error(`${error} ${detail}`), { failure: { error, message, detail } })
}

type Failed = Error & { failure: Failure }

function readNodeErrorCode(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? '')
}

// A connection that ends within the handshake had no TLS; undici has one code for a closed connection and for a
// malformed response.
function codeIn(error: Error, stage: Stage): string {
  const code = readNodeErrorCode(error)
  if (stage === 'tls' && code === 'ECONNRESET') return ''
  if (code === 'UND_ERR_SOCKET' && /closed/.test(error.message)) return 'ECONNRESET'
  return code
}

// With TLS 1.3 a server may reject the client after the handshake, by an alert in place of the response.
function toFailureStage(error: Error, stage: Stage): Stage {
  return readNodeErrorCode(error).startsWith('ERR_SSL_') ? 'tls' : stage
}
