import { installation, table } from '../../tenancy/tables/table.ts'

export const users = table('users', installation)
export const accountLinks = table('account_links', installation)
export const answeredChallenges = table('answered_challenges', installation)
export const passkeys = table('passkeys', installation)
export const recoveryCodes = table('recovery_codes', installation)
export const sessions = table('sessions', installation)
export const signInAddresses = table('sign_in_addresses', installation)
export const totpFactors = table('totp_factors', installation)

export const members = table('members', {
  placement: 'local',
  audit: { noun: 'member', prefix: 'usr' },
  stays: 'people have accounts in one installation',
  counters: { staff: '' },
})

export const invitations = table('invitations', {
  placement: 'local',
  audit: 'security_events tell of them',
  stays: 'they lead to an account of the installation',
})
