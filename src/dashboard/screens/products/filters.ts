// The filters of the product list and the grid.
import type { ListFilter } from '../../framework/filters.ts'
import { categoryChoices, collectionChoices } from './fields.ts'

export const filters: readonly ListFilter[] = [
  { name: 'status', words: 'product_status' },
  { name: 'stock_status' },
  { name: 'is_featured' },
  { name: 'price', range: ['price[gte]', 'price[lte]'], as: 'amount' },
  { name: 'tag' },
  { name: 'category_id', options: categoryChoices },
  { name: 'subtree', isChip: true },
  { name: 'collection_id', options: collectionChoices },
  { name: 'custom_fields', custom: 'product' },
]
