import { table, undoBy } from '../../tenancy/tables/table.ts'
import { createRedirect, updateRedirect, deleteRedirect } from './operations.ts'
import { redirect } from './redirect.ts'

export const redirects = table(redirect, {
  counters: { redirects: '' },
  audit: {
    noun: 'redirect',
    undo: undoBy(redirect, { create: createRedirect, update: updateRedirect, remove: deleteRedirect }),
  },
})
