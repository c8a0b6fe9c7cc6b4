// What can be done with a product: each an operation of the API.
import type { Product } from '../../../commerce/catalog/product.ts'
import { pick } from '../../../kit/declare/row.ts'
import { endpoint } from '../../framework/api.ts'
import { readNow } from '../../framework/call.ts'
import type { ScreenAction, FollowUp, PageContext } from '../../framework/screen.ts'
import { inputs } from './fields.ts'
import { galleryFieldOf, galleryIn, galleryShown } from './gallery.ts'
import { typedIn, variantFieldOf, variantsBody, variantsShown } from './variants.ts'

const change = endpoint('PATCH /products/{id}')

const whole: Pick<ScreenAction, 'inputs' | 'body' | 'fieldOf'> = {
  inputs: Object.values(inputs).flat(),
  body: ({ form }) => ({ ...variantsBody(typedIn(form)), gallery: galleryIn(form) }),
  fieldOf: (name, form) => variantFieldOf(galleryFieldOf(name, form), form),
}

const names = Object.values(inputs).flatMap((group) => group.map(({ name }) => name))

/** With variants, the stock is the sum of theirs. */
function toBody(record: Product): Record<string, unknown> {
  const scalars = pick(record, names as (keyof Product)[])
  return { ...scalars, ...variantsShown(record), gallery: galleryShown(record) }
}

export const create: ScreenAction = {
  ...whole,
  route: endpoint('POST /products'),
  done: 'product_made',
  to: ({ id }) => `/products/${id}`,
}

// prettier-ignore
export const actions: Record<string, ScreenAction> = {
  save: { ...whole, route: change, toBody, done: 'saved' },
  picture: {
    route: endpoint('POST /media'), inputs: [{ name: 'url', label: 'picture_address' }, { name: 'alt_text' }],
    followUp: intoGallery, done: 'picture_brought',
  },
  archive: { route: change, body: { product_status: 'archived' }, done: 'product_archived' },
  activate: { route: change, body: { product_status: 'active' }, done: 'saved' },
  duplicate: {
    route: endpoint('POST /products'), body: copyOf, followUp: translationsToo, done: 'product_duplicated',
    to: ({ id }) => `/products/${id}`,
  },
  delete: {
    route: endpoint('DELETE /products/{id}'),
    confirm: { title: 'product_delete_ask', text: 'product_delete_text', button: 'delete' },
    done: 'product_deleted', to: () => '/products',
  },
  collect: {
    route: endpoint('POST /collections/{id}/products'), idFrom: { id: 'collection' },
    body: ({ params }) => ({ product_ids: [params.id] }), done: 'saved',
  },
  uncollect: {
    route: endpoint('DELETE /collections/{id}/products/{product_id}'),
    idFrom: { id: 'collection', product_id: 'id' }, done: 'saved',
  },
}

/** The uploaded picture becomes the last of the product's. */
async function intoGallery(
  { url, alt_text }: { url: string; alt_text: string | null },
  context: PageContext,
): Promise<FollowUp> {
  const params = { id: context.params.id! }
  const { data, version } = await readNow(context, change, params)
  return { route: change, params, body: { gallery: [...data.gallery, { url, alt_text }] }, version }
}

/** A draft of the same; its stock is counted anew, and so is its address. */
async function copyOf(context: PageContext): Promise<object> {
  const { data } = await readNow(context, change, { id: context.params.id! })
  const { slug: _slug, stock_quantity: _stock, gallery, options, variants, ...rest } = data as Product
  const name = context.t('copy_of', { name: rest.name }).slice(0, 200)
  const withoutId = <T extends { id: string }>({ id: _id, ...others }: T) => others
  const counted = variants.map(({ stock_quantity: _quantity, ...variant }) => withoutId(variant))
  return {
    ...rest,
    name,
    product_status: 'draft',
    gallery: gallery.map(withoutId),
    options: options.map((option) => withoutId(option as typeof option & { id: string })),
    variants: counted,
  }
}

async function translationsToo({ id }: { id: string }, context: PageContext): Promise<FollowUp> {
  const route = endpoint('PATCH /products/{id}/translations')
  const { data } = await readNow(context, route, { id: context.params.id! })
  const said = Object.entries(data).filter(([, texts]) => texts !== null)
  return { route, params: { id }, body: Object.fromEntries(said) }
}
