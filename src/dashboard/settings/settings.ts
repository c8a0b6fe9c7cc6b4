// What can be set up, and where.
import { html } from 'hono/html'
import { mayUse } from '../../accounts/roles.ts'
import { keys } from '../keys/keys.ts'
import { webhooks } from '../webhooks/webhooks.ts'
import type { Html, Screen, Visit } from '../page.ts'
import { panel } from '../parts.ts'
import type { Word } from '../words.ts'

/** `href` from the site's root where it is no screen of the dashboard. */
type Place = { title: Word; text: Word; screen?: Screen; href?: (visit: Visit) => string }

// prettier-ignore
const groups: [Word, Place[]][] = [
  ['developer', [
    { title: 'api_keys', text: 'api_keys_text', screen: keys },
    { title: 'webhooks', text: 'webhooks_text', screen: webhooks },
    { title: 'connected_apps', text: 'connected_apps_text',
      href: ({ root, store }) => `${root}/oauth/portal/apps?store=${store.id}` },
    { title: 'oauth_clients', text: 'oauth_clients_text', href: ({ root }) => `${root}/oauth/portal/clients` },
    { title: 'reference', text: 'reference_text', href: ({ baseUrl }) => `${baseUrl}/reference` },
  ]],
  ['people', [
    { title: 'team', text: 'team_text', href: ({ root, store }) => `${root}/oauth/portal/team?store=${store.id}` },
    { title: 'sessions', text: 'sessions_text', href: ({ root }) => `${root}/oauth/portal/sessions` },
  ]],
]

export const settings: Screen = {
  path: '/settings',
  scope: 'read:store',
  title: 'settings',
  section: 'settings',
  show: async (visit) => ({ content: html`${groups.map(([word, places]) => group(visit, word, places))}` }),
}

function group(visit: Visit, word: Word, all: Place[]): Html {
  const { say, role, base } = visit
  const open = all.filter(({ screen }) => !screen || mayUse(role, screen.scope))
  const items = open.map(({ title, text, screen, href }) => {
    const to = screen ? base + screen.path : href!(visit)
    return html`<li><a href="${to}"><strong>${say(title)}</strong></a><span class="hint">${say(text)}</span></li>`
  })
  return panel(say(word), html`<ul class="places">${items}</ul>`)
}
