// Keyboard shortcuts that open pages, and the sheet that lists them.
import { html } from 'hono/html'
import { mayUse } from '../../identity/accounts/roles.ts'
import { choice } from '../../platform/pages/parts.ts'
import type { Html, PageContext } from './screen.ts'
import type { MessageKey } from './messages.ts'

// prettier-ignore
const shortcuts: readonly (readonly [keys: string, path: string, title: MessageKey, scope: string])[] = [
  ['g h', '',            'home',      'read:store'],
  ['g o', '/orders',     'orders',    'read:orders'],
  ['g n', '/orders/new', 'order_new', 'write:orders'],
  ['g p', '/products',   'products',  'read:products'],
  ['g c', '/customers',  'customers', 'read:customers'],
  ['g d', '/discounts',  'discounts', 'read:discounts'],
  ['g r', '/reports',    'reports',   'read:orders'],
  ['g s', '/settings',   'settings',  'read:store'],
]

const keyCaps = (all: string) => all.split(' ').map((key) => html`<kbd>${key}</kbd> `)

export function shortcutRows({ t, base, role }: PageContext): Html[] {
  const open = shortcuts.filter(([, , , scope]) => mayUse(role, scope))
  const rows = open.map(
    ([name, path, title]) => html`<li><a href="${base}${path}" data-keys="${name}">${t(title)}</a>
<span>${keyCaps(name)}</span></li>`,
  )
  return [
    html`<li><span>${t('find')}</span><span><kbd>⌘</kbd> <kbd>K</kbd> · <kbd>Ctrl</kbd> <kbd>K</kbd></span></li>`,
    ...rows,
    html`<li><span>${t('shortcuts')}</span><span><kbd>?</kbd></span></li>`,
  ]
}

/** Opened by `?`. Single-key shortcuts can be disabled, for speech input and tremors. */
export function shortcutDialog(context: PageContext): Html {
  const { t } = context
  return html`<dialog id="keys" aria-labelledby="keys-title">
<div class="head"><h2 id="keys-title">${t('shortcuts')}</h2>
<form method="dialog"><button class="quiet">${t('close')}</button></form></div>
<ul class="keys">${shortcutRows(context)}</ul>
${choice({ type: 'checkbox', name: 'keys', value: '1', checked: true }, t('shortcuts_on'))}</dialog>`
}

/** Part of every screen's frame. */
export function palette({ t, base }: PageContext): Html {
  return html`<command-palette from="${base}/find.json" label="${t('find_text')}" none="${t('find_none')}"
count="${t('find_count', { count: '{count}' })}"></command-palette>`
}
