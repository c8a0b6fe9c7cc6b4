// Explains why a delivery failed, in the person's language.
import { toFailureCode } from '../../../platform/outbound/failures.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'

type FailedAttempt = { status_code: number | null; error: string | null; message: string | null }

/** `The certificate has expired.`; null after a success and before the first attempt. */
export function failureReason(t: Translate, { status_code, error, message }: FailedAttempt): string | null {
  if (error !== null) return messageOr(t, `failure_${toFailureCode(error, message) ?? error}`, message ?? error)
  const isFailure = status_code !== null && (status_code < 200 || status_code >= 300)
  return isFailure ? t('failure_status', { status: String(status_code) }) : null
}
