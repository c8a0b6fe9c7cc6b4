// What can be set up, and where.
import { overview, type Elsewhere } from '../navigation.ts'
import type { Screen } from '../page.ts'

// prettier-ignore
const elsewhere: Elsewhere[] = [
  { title: 'connected_apps', nav: { group: 'developer', text: 'connected_apps_text' },
    href: ({ root, store }) => `${root}/oauth/portal/apps?store=${store.id}` },
  { title: 'oauth_clients', nav: { group: 'developer', text: 'oauth_clients_text' },
    href: ({ root }) => `${root}/oauth/portal/clients` },
  { title: 'reference', nav: { group: 'developer', text: 'reference_text' },
    href: ({ baseUrl }) => `${baseUrl}/reference` },
  { title: 'team', nav: { group: 'people', text: 'team_text' },
    href: ({ root, store }) => `${root}/oauth/portal/team?store=${store.id}` },
  { title: 'sessions', nav: { group: 'people', text: 'sessions_text' },
    href: ({ root }) => `${root}/oauth/portal/sessions` },
]

export const settings: Screen = {
  path: '/settings',
  scope: 'read:store',
  title: 'settings',
  section: 'settings',
  show: async (visit) => ({ content: overview(visit, 'settings', elsewhere) }),
}
