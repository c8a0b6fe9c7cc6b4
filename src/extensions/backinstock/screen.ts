// Inventory > Waiting shoppers: how many wait for which item; and the switch in the settings.
import { html } from 'hono/html'
import { record } from '../../dashboard/framework/record.ts'
import { recordRows } from '../../dashboard/framework/recordrows.ts'
import { inSettings } from '../../dashboard/framework/placement.ts'
import { settingsForm } from '../../dashboard/framework/settingsform.ts'
import type { Html, PageContext } from '../../dashboard/framework/screen.ts'
import { listAwaited, type AwaitedItem } from './operations.ts'

export const waitingPath = '/inventory/waiting'

const waitingScreen = record({
  path: waitingPath,
  scope: 'read:inventory',
  title: 'backinstock_list',
  section: 'products',
  within: { path: '/inventory', title: 'inventory' },
  read: ({ db, store }: PageContext) => listAwaited(db, store),
  main: [
    ({ t }) => html`<p class="hint">${t('backinstock_list_text')}</p>`,
    recordRows({ label: 'backinstock_list', none: ['backinstock_none', 'backinstock_none_text'], row: renderRow }),
  ],
})

function renderRow({ t, base, formatDate }: PageContext, item: AwaitedItem): Html {
  const { product_id, product_name, variant_name, waiting, since } = item
  return html`<li><div><p><a class="main" href="${base}/products/${product_id}">${product_name}</a>
${variant_name ? html` · ${variant_name}` : ''}</p>
<p class="hint">${t('backinstock_count', { count: waiting })} ·
${t('backinstock_since', { date: formatDate(since) })}</p>
</div></li>`
}

const settingsScreen = settingsForm({
  path: '/settings/backinstock',
  title: 'backinstock_settings',
  api: '/backinstock/settings',
  ...inSettings('store', { text: 'backinstock_settings_text', icon: 'mail' }),
  inputs: [{ name: 'is_active', label: 'backinstock_active', hint: 'backinstock_active_hint' }],
})

export const screens = [waitingScreen, settingsScreen]
