// The checks that every request passes, in order, and the one that refused it.
import type { Code } from '../../kit/values/errors.ts'

type CheckName = (typeof checks)[number]['name']

/** `codes`: those with which it refuses. */
// prettier-ignore
const checks = [
  { name: 'credential',   codes: ['AUTHENTICATION_ERROR'] },
  { name: 'rate_limit',   codes: ['RATE_LIMITED'] },
  { name: 'scope',        codes: ['SCOPE_INSUFFICIENT'] },
  { name: 'plan_feature', codes: ['FEATURE_ACCESS_DENIED'] },
  { name: 'input',        codes: ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'BAD_REQUEST'] },
  { name: 'precondition', codes: ['PRECONDITION_FAILED'] },
  { name: 'plan_limit',   codes: ['PLAN_LIMIT_EXCEEDED'] },
  { name: 'record',       codes: ['NOT_FOUND', 'GONE', 'MOVED'] },
  { name: 'policy',       codes: ['POLICY_EXCEEDED'] },
  { name: 'conflict',     codes: ['CONFLICT'] },
  { name: 'service',      codes: ['UNAVAILABLE', 'STORE_UNAVAILABLE', 'INTERNAL_ERROR'] },
] as const satisfies { name: string; codes: Code[] }[]

export const checkNames = checks.map(({ name }) => name)

export type Check = { check: CheckName; outcome: 'passed' | 'refused' | 'not_reached'; reason: string | null }

/** Checks before the failed one passed; those after it did not run. */
export function listCheckOutcomes(refusal: { code: string; message: string } | null): Check[] {
  const refusedAt = refusal ? checks.findIndex(({ codes }) => (codes as readonly string[]).includes(refusal.code)) : -1
  const end = refusal && refusedAt < 0 ? checks.length - 1 : refusedAt
  return checks.map(({ name: check }, index) => {
    if (refusal && index === end) return { check, outcome: 'refused', reason: refusal.message }
    return { check, outcome: refusal && index > end ? 'not_reached' : 'passed', reason: null }
  })
}
