// Actions on the orders selected in the list: each is one API call.
import { html } from 'hono/html'
import { maxLabelled } from '../../../../commerce/orders/labels.ts'
import { maxCaptured } from '../../../../money/processing/capturebatch.ts'
import { tagsIn } from '../../../../kit/declare/tags.ts'
import { invalid } from '../../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../../kit/values/faults.ts'
import { field } from '../../../../platform/pages/form.ts'
import { attributes } from '../../../../platform/pages/parts.ts'
import { endpoint } from '../../../framework/api.ts'
import type { Html, PageContext, ScreenAction } from '../../../framework/screen.ts'
import { countDone, renderFailures } from './report.ts'
import { requireSelectedOrders } from './selection.ts'

const maxChanged = 100

const ofBatch = { isOfSelection: true, countOf: countDone, renderResult: renderFailures } as const

/** A status moves stock and money, so each order is its own change. */
export const changeStatus: ScreenAction = {
  route: endpoint('PATCH /orders/{id}'),
  inputs: [{ name: 'status', label: 'mark_as' }],
  isOfSelection: true,
  calls: async (context) => {
    const orders = await requireSelectedOrders(context, maxChanged)
    const body = { status: field(context.form, 'status') }
    return orders.map(({ id }) => ({ route: endpoint('PATCH /orders/{id}'), params: { id }, body, field: 'status' }))
  },
  done: 'changed_count',
}

const labelling = (labels: (context: PageContext) => object): ScreenAction => ({
  ...ofBatch,
  route: endpoint('POST /orders/batch'),
  body: async (context) => {
    const own = labels(context)
    return { orders: (await requireSelectedOrders(context, maxLabelled)).map(({ id }) => ({ id, ...own })) }
  },
  done: 'changed_count',
})

function typedTags({ form }: PageContext): string[] {
  const tags = tagsIn(field(form, 'tags'))
  if (tags.length === 0) throw invalid(fault('tags', generalFaults.required))
  return tags
}

export const bulkActions = {
  capture: {
    ...ofBatch,
    route: endpoint('POST /captures/batch'),
    body: async (context) => ({
      orders: (await requireSelectedOrders(context, maxCaptured)).map(({ id }) => ({ id })),
    }),
    confirm: { title: 'bulk_capture_ask', text: 'bulk_capture_text', button: 'capture', isHarmless: true },
    done: 'captured_count',
  },
  tag: labelling((context) => ({ add_tags: typedTags(context) })),
  untag: labelling((context) => ({ remove_tags: typedTags(context) })),
  archive: labelling(() => ({ is_archived: true })),
  unarchive: labelling(() => ({ is_archived: false })),
} satisfies Record<string, ScreenAction>

export function tagInput({ t, form }: PageContext): Html {
  const about = { name: 'tags', value: field(form, 'tags'), maxlength: 400, autocomplete: 'off', size: 12 }
  return html`<p class="field"><label for="bulk-tags">${t('tags')}</label>
<input id="bulk-tags"${attributes({ ...about, placeholder: t('tags') })}></p>`
}
