// The history of a record: a link to its entries in the audit log, where each can be undone, and the
// latest entries at the end of its screen.
import { html } from 'hono/html'
import { latestChanges, type LatestChange } from '../../../developer/auditlog/latest.ts'
import { nounNames, getTableNoun } from '../../../developer/auditlog/nouns.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { actorText, loadActorNames, type ActorNames } from './actors.ts'
import { auditPath, auditScope } from './audit.ts'
import { describeChange, describeOwnChange, findMainChange } from './sentences.ts'

const maxShown = 5

export function historyLink({ t, base, role, params }: PageContext): Html | '' {
  if (!mayUse(role, auditScope)) return ''
  return html`<a class="button quiet" href="${base}${auditPath}?id=${params.id!}">${t('history')}</a>`
}

/** The screen of a record with its history below it, if the audit log knows such records. */
export function withHistory(screen: Screen): Screen {
  const of = screen.params?.id
  if (!of || screen.hasTimeline || !screen.path.endsWith('/{id}') || !nounNames.includes(getTableNoun(of.table).name))
    return screen
  return {
    ...screen,
    async show(context) {
      const [content, history] = await Promise.all([screen.show(context), historyPanel(context)])
      return { ...content, content: html`${content.content}${history}` }
    },
  }
}

async function historyPanel(context: PageContext): Promise<Html | ''> {
  const { db, store, ids, t, base, role, params } = context
  if (!mayUse(role, auditScope)) return ''
  const changes = await latestChanges(db, store.id, ids.id!, maxShown)
  if (changes.length === 0) return ''
  const names = await loadActorNames(context, changes)
  const all = html`<a class="button quiet" href="${base}${auditPath}?id=${params.id!}">${t('history_all')}</a>`
  const rows = changes.map((one) => changeRow(context, one, names))
  return panel(t('history_latest'), html`<ul class="rows">${rows}</ul>`, all)
}

function changeRow(context: PageContext, entry: LatestChange, names: ActorNames): Html {
  const { t, base, formatTime, params } = context
  const { name } = actorText(t, entry.actor, names)
  const undoneMark = entry.reverted_by ? mark(t('audit_undone'), 'plain') : ''
  const change = formatLatestChange(context, entry, params.id!)
  return html`<li><span><a class="main" href="${base}${auditPath}/${entry.id}">${change}</a>
${undoneMark}<small class="hint">${name} · ${formatTime(entry.created_at)}</small></span></li>`
}

/** The record's own change without its name, or what the write was about. */
function formatLatestChange(context: PageContext, entry: LatestChange, id: string): string {
  const own = entry.changes.find((one) => one.id === id)
  if (own) return describeOwnChange(context, own)
  return entry.changes.length > 0 ? describeChange(context, findMainChange(entry), new Map()) : ''
}
