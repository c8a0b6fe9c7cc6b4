// One request of the log: who made it, what was sent, and what was answered.
import { html } from 'hono/html'
import type { Entity } from '../../../kit/declare/field.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { request, requestDetail } from '../../../developer/requests/request.ts'
import { mark, panel } from '../../framework/parts.ts'
import { record, type RecordPanel } from '../../framework/record.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { requestsPath, statusMark } from './links.ts'
import { requests } from './requests.ts'
import { placeBelow } from '../../framework/placement.ts'

type LoggedRequest = Entity<typeof requestDetail.fields>

export const requestProps = {
  path: `${requestsPath}/{id}`,
  ...placeBelow(requests),
  title: 'request_one' as const,
  resource: request,
  name: ({ method, path }: LoggedRequest) => `${method} ${path}`,
}

export const requestFacts: NonNullable<RecordPanel<LoggedRequest>['facts']> = [
  ['answered', ({ status }) => statusMark(status)],
  ['created_at', ({ created_at }, { formatExactTime }) => formatExactTime(created_at)],
  ['took', ({ duration_ms }) => `${duration_ms} ms`],
  ['asked_by', ({ credential, agent }, { t }) => (credential ? code(credential) : (agent ?? t('a_shopper')))],
  ['request_route', ({ route }) => code(route)],
  ['request_tool', ({ tool }) => tool && code(tool)],
  ['request_id', ({ id, request_id }) => code(request_id === id ? id : `${id} · ${request_id}`)],
  ['rehearsed', ({ is_rehearsal }, { t }) => (is_rehearsal ? mark(t('rehearsed_text'), 'plain') : null)],
]

export const requestScreen = record({
  ...requestProps,
  read: async ({ db, store, ids }: PageContext) => (await findRecord(db, requestDetail, store.id, ids.id!)).entity,
  main: [{ title: 'state', facts: requestFacts }, renderBodies],
})

const code = (text: string) => html`<code>${text}</code>`

export function renderBodies({ t }: PageContext, { error, request_body, answer_body }: LoggedRequest): Html {
  const parts = [
    [t('was_sent'), request_body],
    [t('was_answered'), error ?? answer_body],
  ] as const
  const present = parts.filter(([, body]) => body)
  const none = html`<p class="hint">${t('bodies_none')}</p>`
  const blocks = present.map(
    ([title, body]) => html`<h3>${title}</h3><pre tabindex="0"><code>${JSON.stringify(body, null, 2)}</code></pre>`,
  )
  return panel(t('bodies'), html`${present.length === 0 ? none : blocks}`)
}
