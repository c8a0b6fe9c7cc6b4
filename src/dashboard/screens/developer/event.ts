// One event: its body, its deliveries, and its replay.
import { html } from 'hono/html'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { field } from '../../../platform/pages/form.ts'
import { choice } from '../../../platform/pages/parts.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { event } from '../../../developer/eventlog/event.ts'
import { loggedEvent, wholeEvent } from '../../../developer/eventlog/logentry.ts'
import { isVisible } from '../../../developer/eventlog/read.ts'
import { listEventDeliveries } from '../../../developer/webhooks/delivery/ofevents.ts'
import { webhook } from '../../../developer/webhooks/webhook.ts'
import { endpoint } from '../../framework/api.ts'
import { form } from '../../framework/form.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { messageOr } from '../../framework/messages.ts'
import { deliveryLink, eventsPath, requestLink, statusMark, subjectLink } from './links.ts'
import { events } from './events.ts'
import { placeBelow } from '../../framework/placement.ts'

const replay: ScreenAction = {
  route: endpoint('POST /webhooks/{id}/replay'),
  idFrom: { id: 'webhook' },
  // Replays from this event on, or this event only.
  body: async ({ db, store, ids, form: input }) => {
    const { entity } = await findRecord(db, loggedEvent, store.id, ids.id!)
    const first = entity.sequence
    return { from_sequence: first, ...(field(input, 'span') === 'rest' ? {} : { to_sequence: first }) }
  },
  done: 'replayed',
}

// prettier-ignore
export const eventScreen = record({
  path: `${eventsPath}/{id}`, ...placeBelow(events), title: 'event', resource: event,
  read: async ({ db, store, ids }: PageContext) => (await findRecord(db, wholeEvent, store.id, ids.id!)).entity,
  actions: { replay },
  name: (one) => one.event,
  main: [
    { title: 'state', facts: [
      ['event_of', ({ event_id }, context) => subjectLink(context, event_id)],
      ['happened_at', ({ occurred_at }, { formatExactTime }) => formatExactTime(occurred_at)],
      'sequence',
      ['request_one', ({ request_id }, context) => request_id && requestLink(context, request_id)],
    ] },
    { title: 'deliveries',
      content: async (context, one) => html`${await deliveryList(context)}${await replayForm(context, one)}` },
    { title: 'was_told', content: ({ store, t }, { event: type, body }) =>
      html`<pre tabindex="0"><code>${isVisible(store, type) ? body : t('refused_feature')}</code></pre>` },
  ],
})

async function deliveryList(context: PageContext): Promise<Html> {
  const { db, store, ids, t, formatExactTime } = context
  const all = await listEventDeliveries(db, store.id, [ids.id!])
  if (all.length === 0) return html`<p class="hint">${t('wanted_by_none')}</p>`
  const rows = all.map((delivery) => {
    const attempt = delivery.attempts.at(-1)
    const lastAttempt =
      attempt &&
      html` ${attempt.status_code ? statusMark(attempt.status_code) : attempt.error} ${formatExactTime(attempt.at)}`
    return html`<li><div><p>${deliveryLink(context, delivery)}</p>
<p class="hint">${messageOr(t, `delivery_${delivery.status}`, delivery.status)}${lastAttempt ?? ''}</p></div></li>`
  })
  return html`<ul class="rows">${rows}</ul>`
}

type EventNumber = Pick<NonNullable<typeof loggedEvent.type>, 'event' | 'sequence'>

/** Replays to a webhook that subscribes to the type. An event without a sequence cannot be replayed yet. */
async function replayForm(context: PageContext, { event: type, sequence }: EventNumber): Promise<Html | ''> {
  const { db, store, t, role } = context
  if (sequence === null || !mayUse(role, 'write:webhooks')) return ''
  const query = { page: 1, per_page: 100, sort: 'created_at', order: 'desc' } as const
  const { data } = await entityPage(db, webhook, store, query)
  const open = data.filter(({ events }) => events.some((name) => name === type))
  if (open.length === 0) return ''
  const options = open.map(({ id, url }) => html`<option value="${id}">${url}</option>`)
  const span = (value: string, text: string, isChecked: boolean) =>
    choice({ type: 'radio', name: 'span', value, checked: isChecked }, text)
  const lead = html`<div class="fields"><div class="field"><label for="webhook">${t('webhook')}</label>
<select id="webhook" name="webhook">${options}</select></div>
<fieldset class="field"><legend>${t('replay_what')}</legend><div class="boxes">
${span('one', t('replay_one'), true)}${span('rest', t('replay_rest'), false)}</div></fieldset></div>`
  const formHtml = await form(context, { act: 'replay', action: replay, button: 'replay', lead, isQuiet: true })
  return html`<details class="more"><summary>${t('replay')}</summary>${formHtml}</details>`
}
