// The screen of a new draft order.
import { endpoint } from '../../../framework/api.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { record } from '../../../framework/record.ts'
import { drafts } from './drafts.ts'
import { draftForm, saveAction } from './form.ts'
import { limits } from './items.ts'

export const newDraftScreen = record({
  path: '/orders/drafts/new',
  ...placeBelow(drafts),
  scope: 'write:orders',
  title: 'draft_new',
  limits,
  actions: { save: saveAction(endpoint('POST /draft-orders'), 'draft_saved') },
  main: [{ id: 'draft', form: draftForm }],
})
