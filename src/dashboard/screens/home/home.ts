// The first screen: onboarding, open tasks, and sales figures.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { addedButtons } from '../../framework/addedbuttons.ts'
import type { Screen, Html, PageContext } from '../../framework/screen.ts'
import { salesFigures } from './figures.ts'
import { countTasks, queryText, tasks, type TaskCount, type TaskName } from '../../../developer/tasks/tasks.ts'
import { scopesOfRole } from '../../framework/call.ts'
import { readReadiness } from '../../../storefront/checkout/offers/readiness.ts'
import { sql } from '../../../kit/database/sql.ts'
import { button, mayDo } from '../../framework/form.ts'
import { icon } from '../../framework/icons.ts'
import { panel } from '../../framework/parts.ts'
import { openShop } from '../settings/store.ts'

export const home: Screen = {
  path: '',
  scope: 'read:store',
  title: 'home',
  section: 'home',
  actions: { open: openShop },
  async show(context) {
    const { t } = context
    const [{ steps, isEmpty }, tiles, sales] = await Promise.all([
      firstSteps(context),
      taskTiles(context),
      mayUse(context.role, 'read:orders') ? salesFigures(context) : '',
    ])
    // A store without orders has nothing else to show.
    const day = steps && isEmpty ? '' : html`${tiles}${sales}`
    const words = { live: t('live'), paused: t('paused'), pause: t('pause'), resume: t('resume') }
    return {
      buttons: html`<live-part${attributes({ of: 'day', ...words })}></live-part>`,
      content: html`${steps}<div id="day">${day}</div>`,
    }
  },
}

// Open tasks: one tile each, which links to its list.

/** The screens of the lists, which accept the API's filters. */
// prettier-ignore
export const screenPaths: Record<(typeof tasks)[TaskName]['path'], string> = {
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
  const open = (Object.entries(counts) as [TaskName, TaskCount][]).filter(([, { count }]) => count > 0)
  const tiles = html`<ul class="tiles">${open.map((one) => tile(context, one))}</ul>`
  const none = html`<p class="clear">${icon('done')} ${t('tasks_none')}</p>`
  return html`<section><h2 class="hidden">${t('attention')}</h2>${open.length > 0 ? tiles : none}</section>`
}

function tile({ t, base, language, formatDate }: PageContext, [name, task]: [TaskName, TaskCount]): Html {
  const { path, query } = tasks[name]
  const { count, has_more, next_due_at } = task
  const href = `${base}${screenPaths[path]}?${queryText(query)}`
  const number = count.toLocaleString(language) + (has_more ? '+' : '')
  const due = next_due_at ? html`<span class="hint">${t('task_due', { date: formatDate(next_due_at) })}</span>` : ''
  return html`<li><a class="tile" href="${href}"><span>${t(`task_${name}`)}</span>
<strong>${number}</strong>${due}</a></li>`
}

// The first steps of a new store. Each is done when its record exists.

type OnboardingStep = {
  word: 'step_product' | 'step_shipping' | 'step_payment' | 'step_paid_rates' | 'step_open'
  isDone: boolean
  to: string
  beside?: Html | ''
  /** Replaces the link. */
  button?: Html
}

/** No steps once all are done. */
async function firstSteps(context: PageContext): Promise<{ steps: Html | ''; isEmpty: boolean }> {
  const { db, store, t, base } = context
  const [{ is_ready, missing: lacks, has_rates }, counters] = await Promise.all([
    readReadiness(db, store),
    db.one<{ products_active: number; orders: number }>(sql`
      select products_active, orders + orders_archived as orders from store_counters where store_id = ${store.id}`),
  ])
  const hasProducts = (counters?.products_active ?? 0) > 0
  const isEmpty = (counters?.orders ?? 0) === 0
  const opening = hasProducts && lacks.length === 0 && mayDo(context, openShop)
  // prettier-ignore
  const all: OnboardingStep[] = [
    { word: 'step_product', isDone: hasProducts, to: '/products/new',
      beside: addedButtons(context, '/') },
    { word: 'step_shipping', isDone: !lacks.includes('shipping_rates'), to: '/settings/checkout/shipping/new' },
    { word: 'step_payment', isDone: !lacks.includes('payment_methods'), to: '/settings/checkout/payments' },
    { word: 'step_paid_rates', isDone: !lacks.includes('payment_methods_of_rates'), to: '/settings/checkout/payments' },
    { word: 'step_open', isDone: store.status === 'active' && !store.maintenance_mode, to: '/settings/store',
      ...(opening ? { button: button(context, { act: 'open', text: 'shop_open', kind: '' }) } : {}) },
  ]
  // Methods for each rate are a step only where some are missing, and shipping where something is shipped.
  const isLeftOut = { step_paid_rates: true, step_shipping: !has_rates } as Partial<
    Record<OnboardingStep['word'], boolean>
  >
  const steps = all.filter(({ word, isDone }) => !isDone || !isLeftOut[word])
  const remaining = steps.filter(({ isDone }) => !isDone)
  if (is_ready && remaining.length === 0) return { steps: '', isEmpty }
  const items = steps.map(({ word, isDone, to, beside = '', button: action }) => {
    if (isDone)
      return html`<li class="done">${icon('done')}
<div>${t(word)} <span class="hidden">(${t('step_done')})</span></div></li>`
    const kind = word === remaining[0]!.word ? '' : ' quiet'
    const link = html`<a class="button${kind}" href="${base}${to}">${t(word)}</a>`
    return html`<li>${icon('open')}<div><p>${t(`${word}_text`)}</p>
<div class="pair">${action ?? link} ${beside}</div></div></li>`
  })
  const progress = html`<progress max="${steps.length}" value="${steps.length - remaining.length}"
aria-label="${t('first_steps')}"></progress>`
  const hint = html`<p class="hint">${t('first_steps_text', { count: remaining.length })}</p>`
  return { steps: panel(t('first_steps'), html`${hint}${progress}<ol class="steps">${items}</ol>`), isEmpty }
}
