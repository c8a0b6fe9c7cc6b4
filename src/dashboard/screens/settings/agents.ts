// Settings > Agents: the rights of shoppers' agents, and the URLs where agents find the store.
import { html } from 'hono/html'
import { inSettings } from '../../framework/placement.ts'
import { panel } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { settingsForm } from '../../framework/settingsform.ts'
import { requestsPath } from '../developer/links.ts'

// prettier-ignore
export const agentSettings = settingsForm({
  path: '/settings/agents', title: 'agents', api: '/store',
  ...inSettings('checkout', { text: 'agents_text', icon: 'app' }),
  inputs: [
    { name: 'agent_checkouts', hint: 'agent_checkouts_hint' },
    { name: 'agent_orders', hint: 'agent_orders_hint' },
  ],
  after: (context) => html`${shoppers(context)}${assistants(context)}`,
})

/** Agents know a store by its origin. */
function shoppers(context: PageContext): Html {
  const { t, base, store } = context
  const hasOrigin = new URL(store.storefront_url).pathname === '/'
  const address = `${store.storefront_url}/.well-known/ucp`
  return panel(
    t('agents_shoppers'),
    html`${hasOrigin ? renderCopyable(context, address) : html`<p>${t('agents_no_origin')}</p>`}
<p><a href="${base}/reports?by=channel">${t('agents_sales')}</a> ·
<a href="${base}${requestsPath}">${t('requests')}</a></p>`,
  )
}

function assistants(context: PageContext): Html {
  const { t, baseUrl } = context
  return panel(
    t('agents_assistant'),
    html`<ol class="numbered"><li>${t('agents_step_add')} ${renderCopyable(context, `${baseUrl}/mcp`)}</li>
<li>${t('agents_step_sign_in')}</li><li>${t('agents_step_ask')}</li></ol>`,
  )
}

function renderCopyable({ t }: PageContext, text: string): Html {
  return html`<copy-text label="${t('copy')}" done="${t('copied')}"><code>${text}</code></copy-text>`
}
