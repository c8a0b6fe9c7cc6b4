// Settings > Developer > Requests: what programs have asked of the store's API, newest first, and live.
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import { request } from '../../../developer/requests/request.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'
import type { Html, Screen, Visit } from '../../framework/page.ts'
import { requestsPath, statusMark } from './links.ts'

type Request = NonNullable<typeof request.type>

// prettier-ignore
const log = list({
  path: requestsPath, section: 'settings', scope: 'read:requests', title: 'requests', resource: request,
  nav: { group: 'developer', text: 'requests_text' },
  within: { path: '/settings', title: 'developer' },
  lead,
  columns: [
    { title: 'asked', cell: nameOf, plain: ({ method, path }) => `${method} ${path}` },
    { title: 'answered', cell: ({ status }) => statusMark(status), plain: ({ status }) => status },
    { title: 'asked_by', isWide: true, plain: ({ credential }) => credential,
      cell: ({ credential }, { say }) => (credential ? html`<code>${credential}</code>` : say('a_shopper')) },
    { title: 'took', isWide: true, isNumber: true, plain: ({ duration_ms }) => duration_ms,
      cell: ({ duration_ms }) => `${duration_ms} ms` },
    { title: 'created_at', sort: 'created_at', isWide: true, plain: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at }, { second }) => second(created_at) },
  ],
  filters: [
    { name: 'status', label: 'answered' }, { name: 'method' }, { name: 'route', label: 'request_route' },
    { name: 'credential', label: 'asked_by' }, { name: 'code', label: 'request_code' }, { name: 'request_id' },
    { name: 'is_rehearsal', label: 'rehearsed' },
    { name: 'created_at', range: ['from', 'to'], as: 'moment' },
  ],
  empty: { title: 'requests_none', text: 'requests_none_text' },
})

/** Where the portal's page of requests was one came with an `id`. */
export const requests: Screen = {
  ...log,
  leads: async ({ base, query: { id } }) => (id ? `${base}${requestsPath}?request_id=${encodeURIComponent(id)}` : null),
}

function nameOf({ id, method, path, code, is_rehearsal, created_at }: Request, { base, say, second }: Visit): Html {
  return html`<a class="main log" href="${base}${requestsPath}/${id}">${method} ${path}</a>
<small>${is_rehearsal ? mark(say('rehearsed'), 'plain') : ''} ${code ?? ''}
<span class="narrow">${second(created_at)}</span></small>`
}

/** Without a script the page is loaded again to see what has come; an id leads to its request. */
async function lead({ say, base, here }: Visit): Promise<Html> {
  const words = { live: say('live'), paused: say('paused'), pause: say('pause'), resume: say('resume') }
  const said = attributes({ ...words, came: say('requests_came', { count: '{count}' }) })
  const input = { id: 'by-id', name: 'request_id', maxlength: 128, autocomplete: 'off', placeholder: 'req_…' }
  const form = { class: 'inline', action: base + requestsPath, role: 'search', 'aria-label': say('request_id') }
  return html`<div class="searchline"><form${attributes(form)}>
<p class="field"><label for="by-id">${say('request_id')}</label><input${attributes(input)}></p>
<button class="quiet">${say('search')}</button></form>
<live-log${said}><a class="button quiet" href="${here}">${say('load_again')}</a></live-log></div>`
}
