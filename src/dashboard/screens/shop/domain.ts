// Shop > Domain: the shop's custom domain and its verification by DNS.
import { html } from 'hono/html'
import { field } from '../../../platform/pages/form.ts'
import { hasFeature } from '../../../tenancy/plans/plan.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import { button, form, mayDo } from '../../framework/form.ts'
import type { ScreenAction, Html, Screen, PageContext } from '../../framework/screen.ts'
import { facts, mark, panel } from '../../framework/parts.ts'

const change = endpoint('PATCH /store')
const save: ScreenAction = {
  route: change,
  inputs: [{ name: 'custom_domain', hint: 'custom_domain_hint' }],
  done: 'saved',
}

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
      body: ({ form: input }: PageContext) => ({ custom_domain: field(input, 'custom_domain') }),
      conflict: 'domain_elsewhere',
      done: 'domain_is_verified',
    },
    remove: {
      route: change,
      body: { custom_domain: null },
      confirm: { title: 'domain_remove_ask', text: 'domain_remove_text', button: 'remove' },
      done: 'saved',
    },
  },
  async show(context) {
    const { store, t } = context
    if (!hasFeature(store.plan, 'custom_domain')) return { content: html`<p>${t('refused_feature')}</p>` }
    const { data } = await read(context, endpoint('GET /store/domain'))
    const values = { custom_domain: (data as DomainState).custom_domain }
    const formHtml = await form(context, { act: 'save', action: save, button: 'save', values })
    return {
      content: html`${data.custom_domain ? state(context, data) : ''}${html`<div class="panel">${formHtml}</div>`}`,
    }
  },
}

type DomainState = {
  custom_domain: string | null
  domain_verified: boolean
  record: { type: string; name: string; value: string } | null
}

function state(context: PageContext, { custom_domain, domain_verified, record }: DomainState): Html {
  const { t } = context
  const fixed = { custom_domain: custom_domain!, label: custom_domain! }
  const copyText = (text: string) =>
    html`<copy-text label="${t('copy')}" done="${t('copied')}"><code>${text}</code></copy-text>`
  const instructions = html`<p>${t('domain_record_text')}</p>${facts([
    [t('domain_record_type'), record!.type],
    [t('domain_record_name'), copyText(record!.name)],
    [t('domain_record_value'), copyText(record!.value)],
  ])}<p class="hint">${t('domain_point_text')}</p>`
  const checkButton = domain_verified ? '' : button(context, { act: 'check', fixed, text: 'domain_check', kind: '' })
  const removeButton = button(context, { act: 'remove', fixed, text: 'remove', kind: 'quiet danger' })
  return panel(
    custom_domain!,
    html`<p>${mark(t(domain_verified ? 'domain_good' : 'domain_waits'), domain_verified ? 'good' : 'warn')}</p>
${domain_verified ? html`<p><a href="https://${custom_domain!}">https://${custom_domain!}</a></p>` : instructions}
${mayDo(context, save) ? html`<div class="pair next">${checkButton}${removeButton}</div>` : ''}`,
  )
}
