// Lists the orders of a batch that could not be changed.
import { html } from 'hono/html'
import { fieldError } from '../../../framework/errors.ts'
import { panel } from '../../../framework/parts.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'

type BatchAnswer = {
  done: number
  failed: number
  orders: { id: string; order_number: number; error: { code: string } | null }[]
}

/** Null if no order failed. */
export function renderFailures(context: PageContext, { done, failed, orders }: BatchAnswer): Html | null {
  if (failed === 0) return null
  const { t, base, here } = context
  const rows = orders.flatMap(({ id, order_number, error }) =>
    error
      ? html`<tr><th scope="row"><a class="main" href="${base}/orders/${id}">#${order_number}</a></th>
<td><span class="fault">${fieldError(context, { code: error.code, values: {} })}</span></td></tr>`
      : [],
  )
  return panel(
    t('batch_failed', { count: failed }),
    html`<p role="alert">${t('batch_done', { count: done })}</p>
<table class="plain" aria-label="${t('batch_failed', { count: failed })}"><tbody>${rows}</tbody></table>
<p><a class="button" href="${here}">${t('batch_back')}</a></p>`,
  )
}

export const countDone = ({ done }: BatchAnswer): number => done
