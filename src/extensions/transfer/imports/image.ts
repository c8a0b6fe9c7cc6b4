// An image that an import fetches for a product.
import { filter, resource } from '../../../kit/declare/resource.ts'
import { choice, id, text } from '../../../kit/declare/scalars.ts'
import { sql } from '../../../kit/database/sql.ts'

const statuses = ['pending', 'fetched', 'failed'] as const

// prettier-ignore
export const importImage = resource('import_images', {
  product_id: id('prod').readonly().sortable(),
  url:        text({ max: 2048 }).readonly().example('https://cdn.example/mug.jpg'),
  status:     choice(statuses).readonly(),
  error:      text({ max: 500 }).nullable().readonly().describe('Why it could not be fetched; null if it was'),
}, {
  status: filter(choice([...statuses, 'all']).default('all'), (status) =>
    (status === 'all' ? null : sql`import_images.status = ${status}`)),
}, { 
  noun: 'Import image', defaultSort: 'product_id', defaultOrder: 'asc', keys: [['product_id', 'uuid'], ['url', 'text']],
})
