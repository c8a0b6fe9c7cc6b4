// The limits of an API key: form inputs, and a line of text.
import type { CredentialPolicy } from '../../../tenancy/dispatch/policy.ts'
import type { FormInput, PageContext } from '../../framework/screen.ts'

export const policyInputs: FormInput[] = [
  { name: 'policy.max_amount', as: 'money', hint: 'policy_max_amount_hint' },
  { name: 'policy.max_per_hour', isHalf: true },
  { name: 'policy.max_per_day', isHalf: true },
  { name: 'policy.from_hour', isHalf: true },
  { name: 'policy.until_hour', isHalf: true, hint: 'policy_hours_hint' },
]

export function policyText({ t, price }: PageContext, policy: CredentialPolicy | null): string {
  if (!policy) return ''
  const { max_amount, max_per_hour, max_per_day, from_hour, until_hour } = policy
  const hasHours = from_hour !== null || until_hour !== null
  const limits = [
    max_amount === null ? null : t('limit_amount', { amount: price(max_amount) }),
    max_per_hour === null ? null : t('limit_per_hour', { count: max_per_hour }),
    max_per_day === null ? null : t('limit_per_day', { count: max_per_day }),
    hasHours ? t('limit_hours', { from: from_hour ?? 0, until: until_hour ?? 24 }) : null,
  ]
  return limits.filter((limit) => limit !== null).join(' · ')
}
