// The staff's notes on a customer: a form, and each note with its author and time.
import { html } from 'hono/html'
import type { Customer } from '../../../commerce/customers/customer.ts'
import { customerNote } from '../../../commerce/customers/notes/note.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form, mayDo } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { actorText, loadActorNames } from '../audit/actors.ts'

const shownNotes = 50

// prettier-ignore
export const noteActions = {
  note: {
    route: endpoint('POST /customers/{id}/notes'), done: 'note_added',
    inputs: [{ name: 'body', label: 'customer_note', as: 'area', rows: 3, hint: 'note_hint' }],
  },
  note_delete: {
    route: endpoint('DELETE /customers/{id}/notes/{note_id}'), done: 'note_deleted',
    confirm: { title: 'note_delete_ask', text: 'comment_delete_text', button: 'note_delete' },
  },
} satisfies Record<string, ScreenAction>

export async function notesPanel(context: PageContext, { id }: Customer): Promise<Html | ''> {
  const { db, store, t, formatTime } = context
  const query = { page: 1, per_page: shownNotes, sort: 'created_at', order: 'desc' } as const
  const isTheirs = sql`customer_notes.customer_id = ${toUuid('cus', id)}`
  const { data } = await entityPage(db, customerNote, store, query, isTheirs)
  const authors = data.map(({ author_kind: kind, author_id: id }) => ({ actor: { kind, id } }))
  const names = authors.length > 0 ? await loadActorNames(context, authors) : new Map()
  const mayWrite = mayDo(context, noteActions.note)
  const rows = data.map(({ id: note_id, body, author_kind, author_id, created_at }) => {
    const { name } = actorText(t, { kind: author_kind, id: author_id }, names)
    const remove = { act: 'note_delete', fixed: { note_id }, text: 'note_delete', kind: 'link' } as const
    return html`<li><p><span class="comment">${body}</span></p>
<p class="hint"><time datetime="${created_at.toISOString()}">${formatTime(created_at)}</time> · ${name}</p>
${mayWrite ? button(context, remove) : ''}</li>`
  })
  const list = rows.length > 0 ? html`<ol class="timeline">${rows}</ol>` : ''
  const add = mayWrite
    ? await form(context, { act: 'note', action: noteActions.note, button: 'note_add', isQuiet: true })
    : ''
  return add || list ? panel(t('note_history'), html`${add}${list}`) : ''
}
