// The screen of a new draft order.
import { endpoint } from '../../../framework/api.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { record } from '../../../framework/record.ts'
import { drafts } from './drafts.ts'
import { draftEditor, saveAction } from './form.ts'
import { limits } from './items.ts'

const save = saveAction(endpoint('POST /draft-orders'), 'draft_saved')

export const newDraftScreen = record({
  path: '/orders/drafts/new',
  ...placeBelow(drafts),
  scope: 'write:orders',
  title: 'draft_new',
  limits,
  actions: { save },
  main: [(context) => draftEditor(context, save, {}, '')],
})
