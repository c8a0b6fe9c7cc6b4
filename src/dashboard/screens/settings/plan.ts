// Settings > Plan: its features and usage.
import { html } from 'hono/html'
import { features, type Feature, type Usage } from '../../../tenancy/plans/plan.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { mark } from '../../framework/parts.ts'
import { inSettings } from '../../framework/placement.ts'

type PlanUsage = { name: string; features: Feature[]; usage: Usage[] }

// prettier-ignore
export const planScreen = record({
  path: '/settings/plan', title: 'plan', scope: 'read:store',
  ...inSettings('store', { text: 'plan_text', icon: 'plan' }),
  read: async (context: PageContext): Promise<PlanUsage> => (await read(context, endpoint('GET /store/plan'))).data,
  main: [
    { title: ({ name }, { t }) => `${t('plan')}: ${name}`,
      content: (context, { usage }) => html`${usage.map((one) => meter(context, one))}` },
    { title: 'plan_features', content: featureList },
    ({ t }) => html`<p class="hint">${t('plan_change_text')}</p>`,
  ],
})

function featureList({ t }: PageContext, { features: names }: PlanUsage): Html {
  const rows = features.map((feature) => {
    const state = names.includes(feature) ? mark(t('included'), 'good') : mark(t('not_included'), 'plain')
    return html`<li><span>${t(`feature_${feature}`)}</span> ${state}</li>`
  })
  return html`<ul class="attention">${rows}</ul>`
}

function meter({ t }: PageContext, { resource, used, limit }: Usage): Html {
  const name = t(`usage_${resource}`)
  const count = limit === null ? String(used) : t('used_of', { used, limit })
  const share =
    limit === null ? '' : html`<meter min="0" max="${limit}" value="${used}" aria-label="${name}">${count}</meter>`
  return html`<div class="meter"><span>${name}</span><span>${count}</span>${share}</div>`
}
