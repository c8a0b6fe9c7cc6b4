// A list of few records without filters, as a part of a page: one row each, or a text if there are none.
import { html } from 'hono/html'
import { emptyState } from './parts.ts'
import type { MessageKey } from './messages.ts'
import type { Html, PageContext } from './screen.ts'

type RowsProps<E> = {
  /** The accessible name. */
  label: MessageKey
  none: readonly [title: MessageKey, text: MessageKey]
  row: (context: PageContext, one: E, all: readonly E[]) => Html | Promise<Html>
}

export function recordRows<E>({ label, none: [title, text], row }: RowsProps<E>) {
  return async (context: PageContext, all: readonly E[]): Promise<Html> => {
    if (all.length === 0) return emptyState(context.t, title, text)
    const rows = await Promise.all(all.map((one) => row(context, one, all)))
    return html`<ul class="records" aria-label="${context.t(label)}">${rows}</ul>`
  }
}
