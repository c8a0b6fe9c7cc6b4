import { installation, table } from '../../tenancy/tables/table.ts'

export const oauthClients = table('oauth_clients', installation)
export const oauthInteractions = table('oauth_interactions', installation)
export const oauthSoftware = table('oauth_software', installation)

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
