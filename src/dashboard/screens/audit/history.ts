// The history of a record: a link to its entries in the audit log, where each can be undone, and the
// latest entries at the end of its screen.
import { html } from 'hono/html'
import { latestChanges, type LatestChange } from '../../../developer/auditlog/latest.ts'
import { nounNames, getTableNoun } from '../../../developer/auditlog/nouns.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import type { Translate } from '../../framework/messages.ts'
import { fieldName } from './fieldnames.ts'
import { mark, panel } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { actorText, loadActorNames, type ActorNames } from './actors.ts'
import { auditPath, auditScope, changeText } from './audit.ts'

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

function changeRow({ t, base, formatTime, params }: PageContext, entry: LatestChange, names: ActorNames): Html {
  const { name } = actorText(t, entry.actor, names)
  const undoneMark = entry.reverted_by ? mark(t('audit_undone'), 'plain') : ''
  const change = formatLatestChange(t, entry, params.id!)
  return html`<li><span><a class="main" href="${base}${auditPath}/${entry.id}">${change}</a>
${undoneMark}<small class="hint">${name} · ${formatTime(entry.created_at)}</small></span></li>`
}

/** Describes the record's own change without its noun, with the names of the form's fields. */
function formatLatestChange(t: Translate, { changes, changes_count }: LatestChange, id: string): string {
  const own = changes.find((one) => one.id === id)
  const [first] = changes
  const words = own ? changedFields(t, own) : first ? changeText(t, first) : ''
  const others = own ? changes_count - 1 : 0
  return others > 0 ? `${words} ${t('and_more', { count: others })}` : words
}

const maxNames = 6
const untold = ['updated_at']

function changedFields(t: Translate, { before, after, masked }: LatestChange['changes'][number]): string {
  if (before === null) return capitalize(t('change_made'))
  if (after === null) return capitalize(t('change_gone'))
  const names = [...Object.keys(after), ...masked].filter((name) => !untold.includes(name))
  const words = names.slice(0, maxNames).map((name) => fieldName(t, name))
  return capitalize(`${words.join(', ')}${names.length > maxNames ? ' …' : ''}`)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
