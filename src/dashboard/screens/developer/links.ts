// Links between requests, records, events and deliveries.
import { html } from 'hono/html'
import type { Html, PageContext } from '../../framework/screen.ts'
import { mark } from '../../framework/parts.ts'

export const requestsPath = '/settings/developer/requests'
export const eventsPath = '/settings/developer/events'
const auditPath = '/settings/audit'
const webhooksPath = '/settings/developer/webhooks'

// Paths of the records that have a screen.
// prettier-ignore
const screenPaths: Record<string, string> = {
  order: '/orders', product: '/products', customer: '/customers', discount: '/discounts', webhook: webhooksPath,
}
const nounByPrefix: Record<string, string> = { ord: 'order', prod: 'product', cus: 'customer', disc: 'discount' }

/** Shows a record's id, as a link if the record has a screen. */
export function recordLink({ base }: PageContext, resource: string, id: string): Html {
  const at = screenPaths[resource]
  return at ? html`<a href="${base}${at}/${id}"><code>${id}</code></a>` : html`<code>${id}</code>`
}

/** Derives the noun from the prefix of the id. */
export function subjectLink(context: PageContext, id: string): Html {
  return recordLink(context, nounByPrefix[id.split('_')[0]!] ?? '', id)
}

/** Links to the request, or to all requests with a caller's own X-Request-Id. */
export function requestLink({ base }: PageContext, id: string): Html {
  const to = /^req_[0-9a-z]{26}$/.test(id) ? `/${id}` : `?request_id=${encodeURIComponent(id)}`
  return html`<a href="${base}${requestsPath}${to}"><code>${id}</code></a>`
}

/** Links to the audit entry, which has the values and can revert them. */
export function auditLink({ base, t }: PageContext, id: string): Html {
  return html`<a href="${base}${auditPath}/${id}">${t('in_audit_log')}</a>`
}

export function eventLink({ base }: PageContext, { id, event }: { id: string; event: string }): Html {
  return html`<a class="main" href="${base}${eventsPath}/${id}">${event}</a>`
}

export function deliveryLink(
  { base }: PageContext,
  { id, webhook_id, url }: Record<'id' | 'webhook_id' | 'url', string>,
): Html {
  return html`<a href="${base}${webhooksPath}/${webhook_id}/deliveries/${id}">${url}</a>`
}

export function statusMark(status: number): Html {
  return mark(String(status), status < 300 ? 'good' : status < 400 ? 'plain' : status < 500 ? 'warn' : 'bad')
}
