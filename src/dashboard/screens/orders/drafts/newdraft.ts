// The screen of a new draft order.
import { html } from 'hono/html'
import { endpoint } from '../../../framework/api.ts'
import { placeBelow } from '../../../framework/placement.ts'
import type { Screen } from '../../../framework/screen.ts'
import { drafts } from './drafts.ts'
import { draftForm, saveAction } from './form.ts'
import { limits } from './items.ts'

const save = saveAction(endpoint('POST /draft-orders'), 'draft_saved')

export const newDraftScreen: Screen = {
  path: '/orders/drafts/new',
  ...placeBelow(drafts),
  scope: 'write:orders',
  title: 'draft_new',
  limits,
  actions: { save },
  show: async (context) => ({
    content: html`<div class="panel" id="draft">${await draftForm(context, { action: save })}</div>`,
  }),
}
