// The first screen: onboarding, open tasks, and sales figures.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { extensions } from '../../../tenancy/extensions/loaded.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Screen, Html, PageContext } from '../../framework/screen.ts'
import { salesFigures } from './figures.ts'
import { countTasks, queryText, tasks, type TaskCount, type TaskName } from '../../../developer/tasks/tasks.ts'
import { scopesOfRole } from '../../framework/call.ts'
import { findOffer } from '../../../storefront/checkout/offers/offer.ts'
import { isReady, findMissingSetup } from '../../../storefront/checkout/offers/readiness.ts'
import { sql } from '../../../kit/database/sql.ts'
import { button, mayDo } from '../../framework/form.ts'
import { icon } from '../../framework/icons.ts'
import { panel } from '../../framework/parts.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { openShop } from '../settings/store.ts'

export const home: Screen = {
  path: '',
  scope: 'read:store',
  title: 'home',
  section: 'home',
  actions: { open: openShop },
  async show(context) {
    const { t } = context
    const [steps, tiles, sales] = await Promise.all([
      firstSteps(context),
      taskTiles(context),
      mayUse(context.role, 'read:orders') ? salesFigures(context) : '',
    ])
    const words = { live: t('live'), paused: t('paused'), pause: t('pause'), resume: t('resume') }
    return {
      buttons: html`<live-part${attributes({ of: 'day', ...words })}></live-part>`,
      content: html`${steps}<div id="day">${tiles}${sales}</div>`,
    }
  },
}

// Open tasks: one tile each, which links to its list. A tile without records is quiet.

/** The screens of the lists, which accept the API's filters. */
// prettier-ignore
const screenPaths: Record<(typeof tasks)[TaskName]['path'], string> = {
  '/orders':   '/orders',
  '/payments': '/payments',
  '/returns':  '/returns',
  '/products': '/products',
  '/mails':    '/settings/mail/log',
  '/webhooks': '/settings/developer/webhooks',
}

async function taskTiles(context: PageContext): Promise<Html> {
  const { db, store, t } = context
  const counts = await countTasks(db, store, scopesOfRole(context))
  const tiles = (Object.entries(counts) as [TaskName, TaskCount][]).map((one) => tile(context, one))
  return html`<section><h2 class="hidden">${t('attention')}</h2><ul class="tiles">${tiles}</ul></section>`
}

function tile({ t, base, language, formatDate }: PageContext, [name, task]: [TaskName, TaskCount]): Html {
  const { path, query } = tasks[name]
  const { count, has_more, next_due_at } = task
  const href = `${base}${screenPaths[path]}?${queryText(query)}`
  const number = count.toLocaleString(language) + (has_more ? '+' : '')
  const due = next_due_at ? html`<span class="hint">${t('task_due', { date: formatDate(next_due_at) })}</span>` : ''
  const content =
    count === 0 ? html`<span class="hint">${t('task_none')}</span>` : html`<strong>${number}</strong>${due}`
  return html`<li><a class="tile${count === 0 ? ' quiet' : ''}" href="${href}"><span>${t(`task_${name}`)}</span>
${content}</a></li>`
}

// The first steps of a new store. Each is done when its record exists.

type OnboardingStep = { word: MessageKey; isDone: boolean; to: string; beside?: Html | '' }

/** Returns nothing once all steps are done. */
async function firstSteps(context: PageContext): Promise<Html | ''> {
  const { db, store, t, base } = context
  const [offer, products] = await Promise.all([
    findOffer(db, store),
    db.one<{ products_active: number }>(sql`
      select products_active from store_counters where store_id = ${store.id}`),
  ])
  const lacks = findMissingSetup(offer)
  const hasProducts = (products?.products_active ?? 0) > 0
  const opening = hasProducts && lacks.length === 0 && mayDo(context, openShop)
  // prettier-ignore
  const steps: OnboardingStep[] = [
    { word: 'step_product', isDone: hasProducts, to: '/products/new',
      beside: html`${extensions.map(({ buttons }) => buttons?.['/']?.(context) ?? '')}` },
    { word: 'step_shipping', isDone: !lacks.includes('shipping_rates'), to: '/settings/checkout/shipping/new' },
    { word: 'step_payment', isDone: !lacks.includes('payment_methods'), to: '/settings/checkout/payments' },
    { word: 'step_paid_rates', isDone: lacks.length === 0, to: '/settings/checkout/payments' },
    { word: 'step_open', isDone: store.status === 'active' && !store.maintenance_mode, to: '/settings/store',
      beside: opening ? button(context, { act: 'open', text: 'shop_open', kind: '' }) : '' },
  ]
  const remaining = steps.filter(({ isDone }) => !isDone).length
  if (isReady(offer) && remaining === 0) return ''
  const items = steps.map(({ word, isDone, to, beside = '' }) => {
    const text = isDone ? t(word) : html`<a href="${base}${to}">${t(word)}</a> ${beside}`
    return html`<li${isDone ? html` class="done"` : ''}>${icon(isDone ? 'done' : 'open')}
<div>${text} ${isDone ? html`<span class="hidden">(${t('step_done')})</span>` : ''}</div></li>`
  })
  const progress = html`<progress max="${steps.length}" value="${steps.length - remaining}"
aria-label="${t('first_steps')}"></progress>`
  return panel(
    t('first_steps'),
    html`<p class="hint">${t('first_steps_text', { count: remaining })}</p>${progress}<ol class="steps">${items}</ol>`,
  )
}
