// What waits for the merchant: a tile for each task, which leads to its list. A tile without records is quiet.
import { html } from 'hono/html'
import { countTasks, queryText, tasks, type TaskCount, type TaskName } from '../../../developer/tasks/tasks.ts'
import { scopesOfRole } from '../../framework/call.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

/** The screens of the lists, which take the filters of the API. */
// prettier-ignore
const screenPaths: Record<(typeof tasks)[TaskName]['path'], string> = {
  '/orders':   '/orders',
  '/payments': '/payments',
  '/returns':  '/returns',
  '/products': '/products',
  '/mails':    '/settings/mail/log',
  '/webhooks': '/settings/developer/webhooks',
}

export async function taskTiles(context: PageContext): Promise<Html> {
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
