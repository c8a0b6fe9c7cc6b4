// The tables of accounts, sign-in, API keys and OAuth.
import { table } from '../tenancy/tables/table.ts'
import { customRole } from './account/role.ts'
import { apiKey } from './apikeys/apikey.ts'

const installation = { owner: null, placement: 'local' } as const

export const users = table('users', installation)
export const accountLinks = table('account_links', installation)
export const answeredChallenges = table('answered_challenges', installation)
export const passkeys = table('passkeys', installation)
export const recoveryCodes = table('recovery_codes', installation)
export const sessions = table('sessions', installation)
export const signInAddresses = table('sign_in_addresses', installation)
export const totpFactors = table('totp_factors', installation)
export const oauthClients = table('oauth_clients', installation)
export const oauthInteractions = table('oauth_interactions', installation)
export const oauthSoftware = table('oauth_software', installation)

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

export const roles = table(customRole, { placement: 'local', audit: { noun: 'role' }, unforked: 'what staff may do' })

export const apiKeys = table(apiKey, {
  placement: 'local',
  audit: { noun: 'api_key' },
  unforked: 'keys of the original',
  counters: { api_keys: 'is_active' },
})

export const policyUses = table('policy_uses', { audit: 'counts of writes', unforked: 'uses of keys' })

export const appPolicies = table('app_policies', {
  placement: 'local',
  audit: { noun: 'app_policy' },
  stays: 'they are of a client of the installation',
})

export const oauthGrants = table('oauth_grants', {
  placement: 'local',
  audit: 'security_events tell of them',
  stays: 'a member gave them to a client of the installation',
})

export const oauthTokens = table('oauth_tokens', {
  placement: 'local',
  audit: 'what people let in',
  stays: 'they are of a grant',
})
