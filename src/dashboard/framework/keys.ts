// The keys that lead from page to page, and the sheet that shows them.
import { html } from 'hono/html'
import { mayUse } from '../../identity/accounts/roles.ts'
import { choice } from '../../platform/pages/parts.ts'
import type { Html, Visit } from './page.ts'
import type { Word } from './words.ts'

// prettier-ignore
const keys: readonly (readonly [keys: string, path: string, title: Word, scope: string])[] = [
  ['g h', '',            'home',      'read:store'],
  ['g o', '/orders',     'orders',    'read:orders'],
  ['g n', '/orders/new', 'order_new', 'write:orders'],
  ['g p', '/products',   'products',  'read:products'],
  ['g c', '/customers',  'customers', 'read:customers'],
  ['g d', '/discounts',  'discounts', 'read:discounts'],
  ['g r', '/reports',    'reports',   'read:orders'],
  ['g s', '/settings',   'settings',  'read:store'],
]

const drawn = (all: string) => all.split(' ').map((key) => html`<kbd>${key}</kbd> `)

export function keyRows({ say, base, role }: Visit): Html[] {
  const open = keys.filter(([, , , scope]) => mayUse(role, scope))
  const rows = open.map(
    ([name, path, title]) => html`<li><a href="${base}${path}" data-keys="${name}">${say(title)}</a>
<span>${drawn(name)}</span></li>`,
  )
  return [
    html`<li><span>${say('find')}</span><span><kbd>⌘</kbd> <kbd>K</kbd> · <kbd>Ctrl</kbd> <kbd>K</kbd></span></li>`,
    ...rows,
    html`<li><span>${say('shortcuts')}</span><span><kbd>?</kbd></span></li>`,
  ]
}

/** Opened by `?`. Who speaks to the machine, or has a hand that trembles, may switch single keys off. */
export function keySheet(visit: Visit): Html {
  const { say } = visit
  return html`<dialog id="keys" aria-labelledby="keys-title">
<div class="head"><h2 id="keys-title">${say('shortcuts')}</h2>
<form method="dialog"><button class="quiet">${say('close')}</button></form></div>
<ul class="keys">${keyRows(visit)}</ul>
${choice({ type: 'checkbox', name: 'keys', value: '1', checked: true }, say('shortcuts_on'))}</dialog>`
}

/** In the frame of every screen. */
export function palette({ say, base }: Visit): Html {
  return html`<command-palette from="${base}/find.json" label="${say('find_text')}" none="${say('find_none')}"
count="${say('find_count', { count: '{count}' })}"></command-palette>`
}
