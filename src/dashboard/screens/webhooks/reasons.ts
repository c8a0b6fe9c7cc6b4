// Explains why a delivery failed, and the findings of a check, in the person's language.
import type { FindingCode, FindingValues } from '../../../developer/webhooks/examination/findings.ts'
import { toFailureCode } from '../../../platform/outbound/failures.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'

type FailedAttempt = { status_code: number | null; error: string | null; message: string | null }

/** `The certificate has expired.`; null after a success and before the first attempt. */
export function failureReason(t: Translate, { status_code, error, message }: FailedAttempt): string | null {
  if (error !== null) return messageOr(t, `failure_${toFailureCode(error, message) ?? error}`, message ?? error)
  const isFailure = status_code !== null && (status_code < 200 || status_code >= 300)
  return isFailure ? t('failure_status', { status: String(status_code) }) : null
}

type NamedFinding = { code: FindingCode; values: FindingValues }

export function findingText(t: Translate, { code, values }: NamedFinding, error: string | null): string {
  const reason = error && failureReason(t, { status_code: null, error, message: String(values.reason) })
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)])
  return t(`finding_${code}`, { ...Object.fromEntries(texts), ...(reason ? { reason } : {}) })
}
