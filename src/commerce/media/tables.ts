import { table } from '../../tenancy/tables/table.ts'
import { media } from './media.ts'

export const mediaTable = table(media, { audit: { noun: 'picture', scope: 'products' } })
export const mediaUses = table('media_uses', { audit: 'what follows from writes' })

export const mediaChanges = table('media_changes', {
  audit: 'what follows from writes',
  unforked: 'what files the original removes',
})

export const mediaLeftovers = table('media_leftovers', {
  audit: 'files to remove',
  stays: 'files that are about to be deleted',
})
