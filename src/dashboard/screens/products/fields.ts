// The inputs of a product's form, in groups.
import { suggestTags } from '../tagsuggestions.ts'
import { collection } from '../../../commerce/catalog/collection.ts'
import { category, maxLevels } from '../../../commerce/catalog/category.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { countries } from '../../framework/choices.ts'
import { seoInputs } from '../../framework/searchpreview.ts'
import type { Choices, FormInput, PageContext } from '../../framework/screen.ts'

// prettier-ignore
export const inputs = {
  about:    [{ name: 'name', label: 'name' }, { name: 'description', as: 'markdown' }],
  price:    [{ name: 'price', as: 'money', isHalf: true },
             { name: 'compare_price', as: 'money', isHalf: true, hint: 'compare_price_hint' },
             { name: 'supplier_cost', as: 'money', isHalf: true, hint: 'supplier_cost_hint' },
             { name: 'unit_pricing_measure', isHalf: true, hint: 'unit_pricing_measure_hint' }],
  bulk:     [{ name: 'wholesale_price', as: 'money', isHalf: true },
             { name: 'wholesale_min_quantity', isHalf: true }],
  stock:    [{ name: 'sku', isHalf: true }, { name: 'stock_quantity', isHalf: true },
             { name: 'barcode', isHalf: true }, { name: 'weight', isHalf: true },
             { name: 'country_of_origin', isHalf: true, options: countries },
             { name: 'hs_code', isHalf: true, hint: 'hs_code_hint' },
             { name: 'track_inventory', hint: 'track_inventory_hint' },
             { name: 'low_stock_threshold', isHalf: true },
             { name: 'continue_selling' },
             { name: 'available_on', isHalf: true, hint: 'available_on_hint' }],
  bundle:   [{ name: 'bundle_discount_percentage', isHalf: true, hint: 'bundle_discount_percentage_hint' }],
  search:   [...seoInputs, { name: 'slug', label: 'url_handle', hint: 'url_handle_hint' }],
  status:   [{ name: 'product_status' }, { name: 'publish_at', hint: 'publish_at_hint' },
             { name: 'unpublish_at', hint: 'unpublish_at_hint' }, { name: 'is_featured' }],
  place:    [{ name: 'category_id', options: categoryChoices }, { name: 'brand' }, { name: 'condition' },
             { name: 'warranty_months' },
             { name: 'tags', as: 'lines', hint: 'tags_hint', suggests: suggestTags }],
  delivery: [{ name: 'requires_shipping', hint: 'requires_shipping_hint' }, { name: 'fast_shipping' },
             { name: 'invoice_available', hint: 'invoice_available_hint' }],
} as const satisfies Record<string, readonly FormInput[]>

/** Longer lists would need a search. */
const byName = { page: 1, per_page: 1000, sort: 'name', order: 'asc' } as const

export async function categoryChoices(context: PageContext): Promise<Choices> {
  return (await listCategoryPaths(context)).map(({ id, label }) => [id, label])
}

/** A category cannot be below itself, below one of its own, or on a sixth level. */
export async function parentChoices(context: PageContext): Promise<Choices> {
  const { id } = context.params
  return (await listCategoryPaths(context))
    .filter(
      ({ ancestor_ids, ...one }) => ancestor_ids.length < maxLevels - 1 && ![...ancestor_ids, one.id].includes(id!),
    )
    .map(({ id, label }) => [id, label])
}

export const pathSign = ' › '

/** The names from the top: Clothing › Shirts. */
async function listCategoryPaths({ db, store }: PageContext) {
  const { data } = await entityPage(db, category, store, byName)
  const names = new Map(data.map(({ id, name }) => [id, name]))
  const paths = data.map(({ id, ancestor_ids }) => {
    const label = [...ancestor_ids, id].flatMap((one) => names.get(one) ?? []).join(pathSign)
    return { id, ancestor_ids, label }
  })
  return store.has_subcategories ? paths.sort((a, b) => a.label.localeCompare(b.label)) : paths
}

export async function collectionChoices({ db, store }: PageContext): Promise<Choices> {
  const { data } = await entityPage(db, collection, store, byName)
  return data.map(({ id, name }) => [id, name])
}
