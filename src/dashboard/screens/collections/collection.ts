// The screens of a collection and of a new one, with its products.
import { collection } from '../../../commerce/catalog/collection.ts'
import { endpoint } from '../../framework/api.ts'
import { field } from '../../../platform/pages/form.ts'
import { groupScreens } from '../categories/groupscreens.ts'
import type { ScreenAction } from '../../framework/screen.ts'
import { collectionProducts, addProducts } from './products.ts'

const base = { path: '/collections', section: 'products', scope: 'read:categories' } as const

const actions: Record<string, ScreenAction> = {
  put: addProducts,
  move: {
    route: addProducts.route,
    body: ({ form }) => ({ product_ids: [field(form, 'moved')], position: Number(field(form, 'position')) }),
    done: 'saved',
  },
  out: { route: endpoint('DELETE /collections/{id}/products/{product_id}'), done: 'product_removed' },
}

export const {
  fresh: collectionNew,
  screen: collectionScreen,
  translations: collectionTranslations,
} = groupScreens({
  ...base,
  resource: collection,
  words: {
    list: 'collections',
    fresh: 'collection_new',
    create: 'collection_create',
    made: 'collection_created',
    ask: 'collection_delete_ask',
    text: 'collection_delete_text',
    deleted: 'collection_deleted',
  },
  inputs: [{ name: 'sort_order' }, { name: 'position', hint: 'position_first' }],
  actions,
  more: collectionProducts,
})
