// A customer's personal data: export, and erasure with a list of what is erased and what the law keeps.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { scopes } from '../../../identity/apikeys/scopes.ts'
import { customer } from '../../../commerce/customers/customer.ts'
import { countExported, exportCustomer, type ExportedKind } from '../../../developer/privacy/export.ts'
import { endpoint } from '../../framework/api.ts'
import { mark } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageResult, PageContext } from '../../framework/screen.ts'
import type { MessageKey } from '../../framework/messages.ts'

const customerPath = '/customers/{id}'

// prettier-ignore
export const customerDataScreen = record({
  path: `${customerPath}/data`, scope: 'read:customers', title: 'personal_data', section: 'customers',
  within: { path: customerPath, title: 'customer' },
  resource: customer,
  actions: {
    erase: {
      route: endpoint('DELETE /customers/{id}'), done: 'erased', to: () => '/customers',
      confirm: { title: 'erase_ask', text: 'erase_text', button: 'erase' },
    },
  },
  name: ({ name }, { t }) => t('personal_data_of', { name }),
  main: [
    { title: 'data_export', content: ({ t, here }) => html`<p>${t('data_export_text')}</p>
<p><a class="button" href="${new URL(here, 'http://here').pathname}.json" download>${t('data_download')}</a></p>` },
    { title: 'erase', scope: 'write:customers', content: erasureTable,
      buttons: [{ act: 'erase', text: 'erase', kind: 'quiet danger', label: ({ name }) => name }] },
  ],
  json: download,
})

async function download({ db, store, ids, params, role }: PageContext): Promise<PageResult> {
  const heldScopes = new Set(scopes.filter((scope) => mayUse(role, scope)))
  const data = await exportCustomer(db, store, ids.id!, heldScopes)
  const headers = { 'content-disposition': `attachment; filename="${params.id}.json"` }
  return { json: JSON.stringify({ exported_at: db.clock.now(), store: store.name, ...data }, null, 2), headers }
}

type ErasureEffect = { what: MessageKey; count?: ExportedKind; fate: 'goes' | 'stays'; why: MessageKey }

// prettier-ignore
const erasureEffects: readonly ErasureEffect[] = [
  { what: 'kept_record',       fate: 'goes',  why: 'kept_record_why' },
  { what: 'kept_checkouts',    count: 'checkouts',    fate: 'goes',  why: 'kept_checkouts_why' },
  { what: 'kept_mails',        count: 'mails',        fate: 'goes',  why: 'kept_mails_why' },
  { what: 'kept_events',       fate: 'goes',  why: 'kept_events_why' },
  { what: 'kept_changes',      count: 'changes',      fate: 'goes',  why: 'kept_changes_why' },
  { what: 'kept_orders',       count: 'orders',       fate: 'stays', why: 'kept_orders_why' },
  { what: 'kept_payments',     count: 'payments',     fate: 'stays', why: 'kept_payments_why' },
  { what: 'kept_refunds',      count: 'refunds',      fate: 'stays', why: 'kept_refunds_why' },
  { what: 'kept_fulfillments', count: 'fulfillments', fate: 'stays', why: 'kept_orders_why' },
]

/** Lists only kinds of data that the customer has. */
async function erasureTable({ db, store, ids, t }: PageContext): Promise<Html> {
  const counts = await countExported(db, store, ids.id!)
  const effects = erasureEffects.filter(({ count }) => !count || counts[count] > 0)
  const rows = effects.map(
    ({ what, count, fate, why }) => html`<tr><td><strong>${t(what)}</strong><small class="hint">${t(why)}</small></td>
<td class="number">${count ? counts[count] : ''}</td>
<td>${mark(t(fate === 'goes' ? 'fate_goes' : 'fate_stays'), fate === 'goes' ? 'bad' : 'plain')}</td></tr>`,
  )
  return html`<p>${t('erase_preview')}</p>
<table class="plain" aria-label="${t('erase')}"><tbody>${rows}</tbody></table>`
}
