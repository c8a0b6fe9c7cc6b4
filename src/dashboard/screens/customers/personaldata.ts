// A customer's personal data: export, and erasure with a list of what is erased and what the law keeps.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { scopes } from '../../../identity/apikeys/scopes.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { customer } from '../../../commerce/customers/customer.ts'
import { countExported, exportCustomer, type ExportedKind } from '../../../developer/privacy/export.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Html, PageResult, Screen, PageContext } from '../../framework/screen.ts'
import type { MessageKey } from '../../framework/messages.ts'

const customerPath = '/customers/{id}'

export const customerDataScreen: Screen = {
  path: `${customerPath}/data`,
  scope: 'read:customers',
  title: 'personal_data',
  section: 'customers',
  within: { path: customerPath, title: 'customer' },
  params: { id: customer },
  actions: {
    erase: {
      route: endpoint('DELETE /customers/{id}'),
      confirm: { title: 'erase_ask', text: 'erase_text', button: 'erase' },
      done: 'erased',
      to: () => '/customers',
    },
  },
  async show(context) {
    const { db, store, ids, t, here, role } = context
    const [{ entity }, counts] = await Promise.all([
      findRecord(db, customer, store.id, ids.id!),
      countExported(db, store, ids.id!),
    ])
    const file = `${new URL(here, 'http://here').pathname}.json`
    return {
      title: t('personal_data_of', { name: entity.name }),
      content: html`${panel(
        t('data_export'),
        html`<p>${t('data_export_text')}</p>
<p><a class="button" href="${file}" download>${t('data_download')}</a></p>`,
      )}
${mayUse(role, 'write:customers') ? erasurePanel(context, entity.name, counts) : ''}`,
    }
  },
  json: download,
}

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
function erasurePanel(context: PageContext, name: string, counts: Record<ExportedKind, number>): Html {
  const { t } = context
  const fixed = { label: name }
  const effects = erasureEffects.filter(({ count }) => !count || counts[count] > 0)
  const rows = effects.map(
    ({ what, count, fate, why }) => html`<tr><td><strong>${t(what)}</strong><small class="hint">${t(why)}</small></td>
<td class="number">${count ? counts[count] : ''}</td>
<td>${mark(t(fate === 'goes' ? 'fate_goes' : 'fate_stays'), fate === 'goes' ? 'bad' : 'plain')}</td></tr>`,
  )
  return panel(
    t('erase'),
    html`<p>${t('erase_preview')}</p>
<table class="plain" aria-label="${t('erase')}"><tbody>${rows}</tbody></table>
<div class="next">${button(context, { act: 'erase', fixed, text: 'erase', kind: 'quiet danger' })}</div>`,
  )
}
