// Settings > Developers > Requests: the store's API requests, newest first and live.
import { html } from 'hono/html'
import { attributes } from '../../../platform/pages/parts.ts'
import { request } from '../../../developer/requests/request.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { requestsPath, statusMark } from './links.ts'
import { inSettings } from '../../framework/placement.ts'

type ListedRequest = NonNullable<typeof request.type>

// prettier-ignore
const requestList = list({
  path: requestsPath, scope: 'read:requests', title: 'requests', resource: request,
  ...inSettings('developer', { text: 'requests_text', icon: 'request' }),
  lead: searchAndLive,
  columns: [
    { title: 'asked', cell: renderRequestName, csv: ({ method, path }) => `${method} ${path}` },
    { title: 'answered', cell: ({ status }) => statusMark(status), csv: ({ status }) => status },
    { title: 'asked_by', isWide: true, csv: ({ credential, agent }) => credential ?? agent,
      cell: ({ credential, agent }, { t }) =>
        (credential ? html`<code>${credential}</code>` : (agent ?? t('a_shopper'))) },
    { title: 'took', isWide: true, isNumber: true, csv: ({ duration_ms }) => duration_ms,
      cell: ({ duration_ms }) => `${duration_ms} ms` },
    { title: 'created_at', sort: 'created_at', isWide: true, csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at }, { formatExactTime }) => formatExactTime(created_at) },
  ],
  filters: [
    { name: 'status', label: 'answered' }, { name: 'method' }, { name: 'route', label: 'request_route' },
    { name: 'credential', label: 'asked_by' }, { name: 'code', label: 'request_code' }, { name: 'request_id' },
    { name: 'tool', label: 'request_tool' }, { name: 'agent' }, { name: 'is_rehearsal', label: 'rehearsed' },
    { name: 'created_at', range: ['from', 'to'], as: 'moment' },
  ],
  empty: { title: 'requests_none', text: 'requests_none_text' },
})

/** Redirects links of the former portal, which had an `id`. */
export const requests: Screen = {
  ...requestList,
  redirect: async ({ base, query: { id } }) =>
    id ? `${base}${requestsPath}?request_id=${encodeURIComponent(id)}` : null,
}

function renderRequestName(
  { id, method, path, code, is_rehearsal, created_at }: ListedRequest,
  { base, t, formatExactTime }: PageContext,
): Html {
  return html`<a class="main log" href="${base}${requestsPath}/${id}">${method} ${path}</a>
<small>${is_rehearsal ? mark(t('rehearsed'), 'plain') : ''} ${code ?? ''}
<span class="narrow">${formatExactTime(created_at)}</span></small>`
}

/** A search by request id, and the live log; without a script a link reloads the page. */
async function searchAndLive({ t, base, here }: PageContext): Promise<Html> {
  const words = { live: t('live'), paused: t('paused'), pause: t('pause'), resume: t('resume') }
  const labels = attributes({ ...words, came: t('requests_came', { count: '{count}' }) })
  const input = { id: 'by-id', name: 'request_id', maxlength: 128, autocomplete: 'off', placeholder: 'req_…' }
  const form = { class: 'inline', action: base + requestsPath, role: 'search', 'aria-label': t('request_id') }
  return html`<div class="searchline"><form${attributes(form)}>
<p class="field"><label for="by-id">${t('request_id')}</label><input${attributes(input)}></p>
<button class="quiet">${t('search')}</button></form>
<live-log${labels}><a class="button quiet" href="${here}">${t('load_again')}</a></live-log></div>`
}
