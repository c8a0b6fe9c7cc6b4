// The screens of a product and of a new one: one form for all fields, and actions below it.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { findRecord, entityPage } from '../../../kit/declare/page.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { customFieldInputs } from '../../framework/customfields.ts'
import { button, fields, form, type FormProps } from '../../framework/form.ts'
import { foldedPanel, panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { FormInput, Html, PageContext } from '../../framework/screen.ts'
import { uploadForm } from '../pictures/pictures.ts'
import { searchPreview, seoInputs } from '../../framework/searchpreview.ts'
import { formatVariantTitle } from '../../../commerce/catalog/variant.ts'
import { translationLinks, translationScreens } from '../../framework/translations.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { actions, create } from './actions.ts'
import { bundlePanel } from './bundle.ts'
import { inputs } from './fields.ts'
import { gallery } from './gallery.ts'
import { newCategoryInput } from './newcategory.ts'
import { matrix } from './matrix.ts'
import { latestMovements } from './stockhistory.ts'
import { collection } from '../../../commerce/catalog/collection.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'

/** Enough for 500 variants of 21 fields, and for a percent-encoded description of 50,000 characters. */
const limits = { fields: 11_000, bytes: 2 * 1024 * 1024 }

const base = {
  scope: 'read:products',
  section: 'products',
  within: { path: '/products', title: 'products' },
  limits,
} as const

const defaults = {
  product_status: 'active',
  condition: 'new',
  track_inventory: true,
  low_stock_threshold: 5,
  stock_quantity: 0,
  requires_shipping: true,
}

export const productNew = record({
  ...base,
  path: '/products/new',
  title: 'product_new',
  actions: { save: create },
  main: [
    (context) => editor(context, { act: 'save', action: create, button: 'product_create', values: defaults }, null),
  ],
})

const isArchived = ({ product_status }: Product) => product_status === 'archived'

// prettier-ignore
export const productScreen = record({
  ...base, path: '/products/{id}', title: 'products', resource: product, actions,
  metadata: 'PATCH /products/{id}',
  name: ({ name }) => name,
  buttons: [historyLink, renderShopLink],
  main: [
    (context, values, version) =>
      editor(context, { act: 'save', action: actions.save!, button: 'save', values, version }, values),
    async (context) => html`<div data-plain-pictures>
${panel(context.t('picture_add'), await uploadForm(context, 'picture', actions.picture!))}</div>`,
    collectionsPanel,
    latestMovements,
    (context, { id }) => translationLinks(context, `/products/${id}/translations`),
    { title: 'more_actions', scope: 'write:products', hint: 'archive_hint', buttons: [
      { act: 'duplicate', text: 'duplicate', leaves: true },
      { act: 'archive', text: 'archive', when: (one) => !isArchived(one) },
      { act: 'activate', text: 'unarchive', when: isArchived },
      { act: 'delete', text: 'delete', kind: 'quiet danger', leaves: true, label: ({ name }) => name },
    ] },
  ],
})

export const productTranslations = translationScreens({
  path: '/products/{id}/translations',
  api: '/products/{id}/translations',
  section: 'products',
  within: { path: '/products/{id}', title: 'product' },
  params: { id: product },
  texts: [...inputs.about, ...seoInputs],
  own: loadProduct,
  termsOf: async (context) => {
    const { options, variants } = await loadProduct(context)
    const own = variants.filter((one) => one.title !== formatVariantTitle(one)).map(({ title }) => title)
    return [...options.flatMap(({ title, values }) => [title, ...values]), ...own]
  },
})

async function loadProduct({ db, store, ids }: PageContext): Promise<Product> {
  return (await findRecord(db, product, store.id, ids.id!)).entity
}

function renderShopLink({ t, store }: PageContext, { slug, product_status }: Product): Html | '' {
  const address = `${store.storefront_url}/products/${slug}`
  const link = html`<a class="button quiet" href="${address}" target="_blank">${t('view_in_shop')}</a>`
  return product_status === 'active' ? link : ''
}

async function editor(context: PageContext, props: FormProps, record: Product | null): Promise<Html> {
  const { t } = context
  const group = async (title: MessageKey, names: readonly (keyof typeof inputs)[], more: Html | '' = '') => {
    const fieldRows = await Promise.all(names.map((name) => fields(context, props, listProductInputs(name, record))))
    return panel(t(title), html`${fieldRows}${more}`)
  }
  const own = await customFieldInputs(context, 'product', props, record)
  const content = html`<div class="columns"><div>
${await group('basic_details', ['about'])}
${panel(t('pictures'), gallery(context, record, 'save'))}
${await group('prices', ['price'], html`${margin(context, record)}${await wholesale(context, props, record)}`)}
${panel(t('variants'), await matrix(context, record, 'save'))}
${await group('stock', ['stock'])}
${await bundlePanel(context, props, record)}
${own ? panel(t('custom_fields'), own) : ''}
${await seo(context, props, record)}
</div><div class="aside">${await group('product_status', ['status'], timesIn(context))}
${panel(t('organization'), await organization(context, props))}
${await group('shipping_invoicing', ['delivery'])}</div></div>
<p class="send save"><button>${t(props.button)}</button></p>`
  return html`${await form(context, { ...props, content })}
<dialog id="pick" aria-label="${t('picture')}" data-none="${t('picture_none')}"
 data-number="${t('picture_number', { number: '{number}' })}"><div class="pair"></div>
<form method="dialog" data-whole><button class="quiet">${t('cancel_form')}</button></form></dialog>`
}

function timesIn({ t, store }: PageContext): Html {
  return html`<p class="hint">${t('times_in', { zone: store.timezone.replaceAll('_', ' ') })}</p>`
}

async function organization(context: PageContext, props: FormProps): Promise<Html> {
  const [category, ...others] = inputs.place
  return fields(context, props, [category, newCategoryInput, ...others])
}

/** A product with variants has no stock of its own, and a bundle with a discount no price. */
function listProductInputs(name: keyof typeof inputs, record: Product | null): FormInput[] {
  const isSum = (record?.variants.length ?? 0) > 0
  const isOfParts = record !== null && record.bundle_discount_percentage !== null
  return inputs[name]
    .filter((input) => !(isSum && input.name === 'stock_quantity'))
    .map((input) => (isOfParts && input.name === 'price' ? { ...input, hint: 'price_of_parts' } : input))
}

/** Open after a rejection only: the shop derives these texts from the others. */
async function seo(context: PageContext, props: FormProps, record: Product | null): Promise<Html> {
  const isOpen = inputs.search.some(({ name }) => context.rejection?.faults[name])
  const content = html`${await fields(context, props, inputs.search)}${searchPreview(context, record, 'products')}`
  return foldedPanel(context.t('search_engines'), content, { isOpen })
}

function margin({ t, price }: PageContext, record: Product | null): Html | '' {
  if (!record?.supplier_cost || record.price === 0) return ''
  const margin = new Decimal(record.price).minus(record.supplier_cost)
  const share = margin.div(record.price).toNumber()
  return html`<p class="hint">${t('margin', { amount: price(toNumber(margin)), share })}</p>`
}

async function wholesale(context: PageContext, props: FormProps, record: Product | null): Promise<Html> {
  const isOpen = record?.wholesale_price !== null && record?.wholesale_price !== undefined
  const hasFault = inputs.bulk.some(({ name }) => context.rejection?.faults[name])
  return html`<details${isOpen || hasFault ? html` open` : ''}><summary>${context.t('wholesale')}</summary>
${await fields(context, props, inputs.bulk)}</details>`
}

// The collections of a product.

const byName = { page: 1, per_page: 1000, sort: 'name', order: 'asc' } as const

async function collectionsPanel(context: PageContext): Promise<Html | ''> {
  const { db, store, params, t, base, role, here } = context
  const [allCollections, own] = await Promise.all([
    entityPage(db, collection, store, byName),
    entityPage(db, collection, store, { ...byName, product_id: params.id! }),
  ])
  const mayWrite = mayUse(role, 'write:products')
  const rows = own.data.map(({ id, name }) => {
    const leave = { act: 'uncollect', fixed: { collection: id }, text: 'remove', kind: 'link', about: name } as const
    const out = mayWrite ? button(context, leave) : ''
    return html`<li><a class="main" href="${base}/collections/${id}">${name}</a>${out}</li>`
  })
  const others = allCollections.data.filter(({ id }) => !own.data.some((one) => one.id === id))
  const choices = others.map(({ id, name }) => html`<option value="${id}">${name}</option>`)
  const into = html`<form method="post" action="${here}" class="inline">${hidden('act', 'collect')}
<p class="field"><label for="into">${t('collection')}</label>
<select${attributes({ id: 'into', name: 'collection' })}>${choices}</select></p>
<button class="quiet">${t('add')}</button></form>`
  const hint = allCollections.data.length === 0 ? 'collections_none' : 'in_no_collection'
  const none = html`<p class="hint">${t(hint)}</p>`
  return panel(
    t('collections'),
    html`${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : none}${mayWrite && others.length > 0 ? into : ''}`,
  )
}
