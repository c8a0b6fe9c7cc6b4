// Settings > Plan: its features and usage.
import { html } from 'hono/html'
import { features, type Feature, type Usage } from '../../../tenancy/plans/plan.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { mark, panel } from '../../framework/parts.ts'
import { inSettings } from '../../framework/placement.ts'

type PlanUsage = { name: string; features: Feature[]; usage: Usage[] }

export const planScreen: Screen = {
  path: '/settings/plan',
  title: 'plan',
  ...inSettings('store', { text: 'plan_text', icon: 'plan' }),
  scope: 'read:store',
  async show(context) {
    const { t } = context
    const { data } = await read(context, endpoint('GET /store/plan'))
    const { name, features: included, usage } = data as PlanUsage
    const rows = features.map((feature) => {
      const state = included.includes(feature) ? mark(t('included'), 'good') : mark(t('not_included'), 'plain')
      return html`<li><span>${t(`feature_${feature}`)}</span> ${state}</li>`
    })
    return {
      content: html`${panel(`${t('plan')}: ${name}`, html`${usage.map((one) => meter(context, one))}`)}
${panel(t('plan_features'), html`<ul class="attention">${rows}</ul>`)}<p class="hint">${t('plan_change_text')}</p>`,
    }
  },
}

function meter({ t }: PageContext, { resource, used, limit }: Usage): Html {
  const name = t(`usage_${resource}`)
  const count = limit === null ? String(used) : t('used_of', { used, limit })
  const share =
    limit === null ? '' : html`<meter min="0" max="${limit}" value="${used}" aria-label="${name}">${count}</meter>`
  return html`<div class="meter"><span>${name}</span><span>${count}</span>${share}</div>`
}
