// Settings > Developers > Events: the store's events, newest first.
import { html } from 'hono/html'
import { isOfLog, loggedEvent } from '../../../developer/eventlog/logentry.ts'
import { list } from '../../framework/list.ts'
import { eventLink, eventsPath, requestLink, subjectLink } from './links.ts'
import { inSettings } from '../../framework/placement.ts'

// prettier-ignore
export const events = list({
  path: eventsPath, scope: 'read:webhooks', title: 'events', resource: loggedEvent,
  ...inSettings('developer', { text: 'events_text', icon: 'event' }),
  narrow: () => isOfLog,
  columns: [
    { title: 'event', csv: ({ event }) => event,
      cell: (row, context) => html`${eventLink(context, row)}
<small><span class="narrow">${context.formatExactTime(row.occurred_at)}</span></small>` },
    { title: 'event_of', csv: ({ event_id }) => event_id,
      cell: ({ event_id }, context) => subjectLink(context, event_id) },
    { title: 'request_one', isWide: true, csv: ({ request_id }) => request_id,
      cell: ({ request_id }, context) => (request_id ? requestLink(context, request_id) : '–') },
    { title: 'sequence', isWide: true, isNumber: true, csv: ({ sequence }) => sequence,
      cell: ({ sequence }) => (sequence === null ? '–' : String(sequence)) },
    { title: 'happened_at', sort: 'occurred_at', isWide: true, csv: ({ occurred_at }) => occurred_at.toISOString(),
      cell: ({ occurred_at }, { formatExactTime }) => formatExactTime(occurred_at) },
  ],
  filters: [
    { name: 'event' }, { name: 'event_id', label: 'event_of' },
    { name: 'happened_at', range: ['from', 'to'], as: 'moment' },
  ],
  empty: { title: 'events_none', text: 'log_none_text' },
})
