// The actions on a product; each calls an endpoint of the API.
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { pick } from '../../../kit/declare/row.ts'
import { endpoint } from '../../framework/api.ts'
import { customFieldChanges } from '../../framework/customfields.ts'
import { readNow } from '../../framework/call.ts'
import type { ScreenAction, FollowUp, PageContext } from '../../framework/screen.ts'
import { bundleBody, isPricedByParts, toBundleField } from './bundle.ts'
import { inputs } from './fields.ts'
import { toGalleryField, galleryBody, toGalleryBody, mainImageIn } from './gallery.ts'
import { isCategoryNamed, namedCategory } from './newcategory.ts'
import { variantsInput, toVariantField, variantsBody, toVariantsBody } from './variants.ts'

const updateProduct = endpoint('PATCH /products/{id}')

const editorForm: Pick<ScreenAction, 'inputs' | 'body' | 'fieldOf'> = {
  inputs: Object.values(inputs).flat(),
  body: editorBody,
  fieldOf: (name, form) => toVariantField(toGalleryField(toBundleField(name), form), form),
}

const names = Object.values(inputs).flatMap((group) => group.map(({ name }) => name))

/** Reports the product's faults before a category is created. */
async function editorBody(context: PageContext, input: Record<string, unknown>): Promise<object> {
  const { form, params, store } = context
  const variants = variantsBody(variantsInput(form))
  const body = {
    ...variants,
    gallery: galleryBody(form),
    main_image: mainImageIn(form),
    ...(await bundleBody(context, { hasVariants: variants.variants.length > 0 })),
    ...(isPricedByParts(form) ? { price: 1 } : {}),
  }
  const reader = params.id === undefined ? product.create : product.patch
  if (isCategoryNamed(context)) reader.read({ ...input, ...body }, store)
  return { ...body, ...(await customFieldChanges(context, 'product')), ...(await namedCategory(context)) }
}

/** Turns the product into its form's body, to find the changed fields. */
function toBody(record: Product): Record<string, unknown> {
  const scalars = pick(record, names as (keyof Product)[])
  const { main_image, bundle_items } = record
  return { ...scalars, ...toVariantsBody(record), gallery: toGalleryBody(record), main_image, bundle_items }
}

export const create: ScreenAction = {
  ...editorForm,
  route: endpoint('POST /products'),
  done: 'product_created',
  to: ({ id }) => `/products/${id}`,
}

// prettier-ignore
export const actions: Record<string, ScreenAction> = {
  save: { ...editorForm, route: updateProduct, toBody, done: 'saved' },
  picture: {
    route: endpoint('POST /media'),
    inputs: [{ name: 'url', label: 'image_url' }, { name: 'alt_text', hint: 'alt_text_hint' }],
    followUp: addToGallery, done: 'picture_added',
  },
  archive: { route: updateProduct, body: { product_status: 'archived' }, done: 'product_archived' },
  activate: { route: updateProduct, body: { product_status: 'active' }, done: 'saved' },
  duplicate: {
    route: endpoint('POST /products'), body: copyBody, followUp: copyTranslations, done: 'product_duplicated',
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

/** Appends the uploaded picture to the gallery. */
async function addToGallery(
  { url, alt_text }: { url: string; alt_text: string | null },
  context: PageContext,
): Promise<FollowUp> {
  const params = { id: context.params.id! }
  const { data, version } = await readNow(context, updateProduct, params)
  return { route: updateProduct, params, body: { gallery: [...data.gallery, { url, alt_text }] }, version }
}

/** Copies the product as a draft, without stock, slug and times. */
async function copyBody(context: PageContext): Promise<object> {
  const { data } = await readNow(context, updateProduct, { id: context.params.id! })
  const {
    slug: _slug,
    stock_quantity: _stock,
    publish_at: _from,
    unpublish_at: _until,
    external_id: _id,
    gallery,
    options,
    variants,
    ...rest
  } = data as Product
  const name = context.t('copy_of', { name: rest.name }).slice(0, 200)
  const withoutId = <T extends { id: string }>({ id: _id, ...others }: T) => others
  const variantBodies = variants.map(({ stock_quantity: _quantity, external_id: _id, ...variant }) =>
    withoutId(variant),
  )
  return {
    ...rest,
    name,
    product_status: 'draft',
    gallery: gallery.map(withoutId),
    options: options.map((option) => withoutId(option as typeof option & { id: string })),
    variants: variantBodies,
  }
}

async function copyTranslations({ id }: { id: string }, context: PageContext): Promise<FollowUp> {
  const route = endpoint('PATCH /products/{id}/translations')
  const { data } = await readNow(context, route, { id: context.params.id! })
  const texts = Object.entries(data).filter(([, words]) => words !== null)
  return { route, params: { id }, body: Object.fromEntries(texts) }
}
