// Comments in an order's timeline: the form and each comment.
import { html } from 'hono/html'
import { managers } from '../../../identity/accounts/user.ts'
import type { OrderComment } from '../../../commerce/orders/comments/comment.ts'
import { mentionsIn } from '../../../commerce/orders/comments/mentions.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form, mayDo } from '../../framework/form.ts'
import { recordActions } from '../../framework/parts.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { actorText } from '../audit/actors.ts'
import type { OrderDetails } from './orderdetails.ts'

const input: FormInput = { name: 'body', label: 'comment', as: 'area', rows: 3 }

// prettier-ignore
export const commentActions: Record<string, ScreenAction> = {
  comment: {
    route: endpoint('POST /orders/{id}/comments'), done: 'comment_added',
    inputs: [{ ...input, hint: 'comment_hint' }],
  },
  comment_edit: { route: endpoint('PATCH /orders/{id}/comments/{comment_id}'), done: 'saved', inputs: [input] },
  comment_delete: {
    route: endpoint('DELETE /orders/{id}/comments/{comment_id}'), done: 'comment_deleted',
    confirm: { title: 'comment_delete_ask', text: 'comment_delete_text', button: 'comment_delete' },
  },
}

export async function commentForm(context: PageContext, { comments: { members } }: OrderDetails): Promise<Html | ''> {
  const action = commentActions.comment!
  if (!mayDo(context, action)) return ''
  const content = await form(context, { act: 'comment', action, button: 'comment_add', isQuiet: true })
  return withNames(context, members, content)
}

/** Suggests names after an @ during typing; without a script people type them. */
function withNames({ t }: PageContext, members: OrderDetails['comments']['members'], content: Html): Html {
  const names = members.map(({ name }) => name).join('\n')
  return html`<mention-names label="${t('mention_list')}" names="${names}">${content}</mention-names>`
}

type CommentEntry = { at: Date | string; text: Html; more: Html; button: Html | '' }

export function commentEntries(context: PageContext, { comments }: OrderDetails): Promise<CommentEntry[]> {
  const { t } = context
  return Promise.all(
    comments.list.map(async (comment) => {
      const { name } = actorText(t, { kind: comment.author_kind, id: comment.author_id }, comments.names)
      return {
        at: comment.created_at,
        text: html`<span class="comment" id="${comment.id}">${bodyText(comment, comments.members)}</span>`,
        more: html`${name}${comment.edited_at ? html` · ${t('comment_edited')}` : ''}`,
        button: await changeForms(context, comment, comments.members),
      }
    }),
  )
}

/** Highlights mentions. */
function bodyText({ body }: OrderComment, members: OrderDetails['comments']['members']): Html {
  const mentions = mentionsIn(body, members)
  const parts = mentions.map(({ from, to }, at) => {
    const before = body.slice(mentions[at - 1]?.to ?? 0, from)
    return html`${before}<strong>${body.slice(from, to)}</strong>`
  })
  return html`${parts}${body.slice(mentions.at(-1)?.to ?? 0)}`
}

async function changeForms(
  context: PageContext,
  comment: OrderComment,
  members: OrderDetails['comments']['members'],
): Promise<Html | ''> {
  const { actor, role, t, rejection } = context
  const isOwn = comment.author_kind === actor.kind && comment.author_id === actor.id
  const action = commentActions.comment_edit!
  if (!mayDo(context, action) || !(isOwn || managers.some((manager) => manager === role))) return ''
  const fixed = { comment_id: comment.id }
  const editing = { act: 'comment_edit', action, fixed, button: 'save', values: comment, isQuiet: true } as const
  const isOpen = rejection?.act === 'comment_edit' && context.form.comment_id === comment.id
  const content = html`${withNames(context, members, await form(context, editing))}
${button(context, { act: 'comment_delete', fixed, text: 'comment_delete', kind: 'quiet danger' })}`
  return recordActions(t, t('comment'), content, isOpen)
}
