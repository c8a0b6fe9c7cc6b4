// Shop > Domain: the shop's custom domain and its verification by DNS.
import { html } from 'hono/html'
import { field } from '../../../platform/pages/form.ts'
import { hasFeature } from '../../../tenancy/plans/plan.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { facts, mark } from '../../framework/parts.ts'

const change = endpoint('PATCH /store')
const save: ScreenAction = {
  route: change,
  inputs: [{ name: 'custom_domain', hint: 'custom_domain_hint' }],
  done: 'saved',
}

const hasDomain = ({ custom_domain: domain }: DomainState) => domain !== null
const fixed = ({ custom_domain: domain }: DomainState) => ({ custom_domain: domain!, label: domain! })

// prettier-ignore
export const domainScreen = record({
  path: '/shop/domain', title: 'domain', section: 'shop', nav: {}, scope: 'read:store',
  actions: {
    save,
    check: {
      route: endpoint('POST /store/verify-domain'), done: 'domain_is_verified', conflict: 'domain_elsewhere',
      body: ({ form: input }: PageContext) => ({ custom_domain: field(input, 'custom_domain') }),
    },
    remove: {
      route: change, body: { custom_domain: null }, done: 'saved',
      confirm: { title: 'domain_remove_ask', text: 'domain_remove_text', button: 'remove' },
    },
  },
  read: loadDomain,
  main: [
    ({ t }, { isIncluded }) => isIncluded ? '' : html`<p>${t('refused_feature')}</p>`,
    { title: ({ custom_domain }) => custom_domain!, when: hasDomain, content: instructions, buttons: [
      { act: 'check', fixed, text: 'domain_check', kind: '', when: ({ domain_verified }) => !domain_verified },
      { act: 'remove', fixed, text: 'remove', kind: 'quiet danger' },
    ] },
    { when: ({ isIncluded }) => isIncluded,
      form: { act: 'save', values: ({ custom_domain }) => ({ custom_domain }) } },
  ],
})

async function loadDomain(context: PageContext): Promise<DomainState> {
  const isIncluded = hasFeature(context.store.plan, 'custom_domain')
  if (!isIncluded) return { isIncluded, custom_domain: null, domain_verified: false, record: null }
  return { isIncluded, ...(await read(context, endpoint('GET /store/domain'))).data }
}

type DomainState = {
  /** True if the plan has domains. */
  isIncluded: boolean
  custom_domain: string | null
  domain_verified: boolean
  record: { type: string; name: string; value: string } | null
}

function instructions({ t }: PageContext, { custom_domain, domain_verified, record: dns }: DomainState): Html {
  const state = mark(t(domain_verified ? 'domain_good' : 'domain_waits'), domain_verified ? 'good' : 'warn')
  const copyText = (text: string) =>
    html`<copy-text label="${t('copy')}" done="${t('copied')}"><code>${text}</code></copy-text>`
  if (domain_verified) {
    return html`<p>${state}</p><p><a href="https://${custom_domain!}">https://${custom_domain!}</a></p>`
  }
  return html`<p>${state}</p><p>${t('domain_record_text')}</p>${facts([
    [t('domain_record_type'), dns!.type],
    [t('domain_record_name'), copyText(dns!.name)],
    [t('domain_record_value'), copyText(dns!.value)],
  ])}<p class="hint">${t('domain_point_text')}</p>`
}
