// Shop > Domain: the shop at an address of its own, once the DNS says that it is the store's.
import { html } from 'hono/html'
import { field } from '../../../platform/pages/form.ts'
import { hasFeature } from '../../../tenancy/plans/plan.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import { button, form, mayDo } from '../../framework/form.ts'
import type { Action, Html, Screen, Visit } from '../../framework/page.ts'
import { facts, mark, panel } from '../../framework/parts.ts'

const change = endpoint('PATCH /store')
const save: Action = { route: change, inputs: [{ name: 'custom_domain', hint: 'custom_domain_hint' }], done: 'saved' }

export const domainScreen: Screen = {
  path: '/shop/domain',
  title: 'domain',
  section: 'shop',
  nav: {},
  scope: 'read:store',
  actions: {
    save,
    check: {
      route: endpoint('POST /store/verify-domain'),
      body: ({ form: sent }: Visit) => ({ custom_domain: field(sent, 'custom_domain') }),
      conflict: 'domain_elsewhere',
      done: 'domain_is_verified',
    },
    remove: {
      route: change,
      body: { custom_domain: null },
      ask: { title: 'domain_remove_ask', text: 'domain_remove_text', button: 'remove' },
      done: 'saved',
    },
  },
  async show(visit) {
    const { store, say } = visit
    if (!hasFeature(store.plan, 'custom_domain')) return { content: html`<p>${say('refused_feature')}</p>` }
    const { data } = await read(visit, endpoint('GET /store/domain'))
    const values = { custom_domain: (data as Domain).custom_domain }
    const drawn = await form(visit, { act: 'save', action: save, button: 'save', values })
    return { content: html`${data.custom_domain ? state(visit, data) : ''}${html`<div class="panel">${drawn}</div>`}` }
  },
}

type Domain = {
  custom_domain: string | null
  domain_verified: boolean
  record: { type: string; name: string; value: string } | null
}

function state(visit: Visit, { custom_domain, domain_verified, record }: Domain): Html {
  const { say } = visit
  const fixed = { custom_domain: custom_domain!, label: custom_domain! }
  const copied = (text: string) =>
    html`<copy-text label="${say('copy')}" done="${say('copied')}"><code>${text}</code></copy-text>`
  const told = html`<p>${say('domain_record_text')}</p>${facts([
    [say('domain_record_type'), record!.type],
    [say('domain_record_name'), copied(record!.name)],
    [say('domain_record_value'), copied(record!.value)],
  ])}<p class="hint">${say('domain_point_text')}</p>`
  const checking = domain_verified ? '' : button(visit, { act: 'check', fixed, text: 'domain_check', kind: '' })
  const leaving = button(visit, { act: 'remove', fixed, text: 'remove', kind: 'quiet danger' })
  return panel(
    custom_domain!,
    html`<p>${mark(say(domain_verified ? 'domain_good' : 'domain_waits'), domain_verified ? 'good' : 'warn')}</p>
${domain_verified ? html`<p><a href="https://${custom_domain!}">https://${custom_domain!}</a></p>` : told}
${mayDo(visit, save) ? html`<div class="pair next">${checking}${leaving}</div>` : ''}`,
  )
}
