// The parts of variants that are bundles: of one variant, and of others that shall have the same.
import { html } from 'hono/html'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import type { Variant } from '../../../commerce/catalog/variant.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { field, fieldsNamed } from '../../../platform/pages/form.ts'
import { attributes, hidden, renderFieldFault } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../framework/api.ts'
import { readNow } from '../../framework/call.ts'
import { button, form, getFormRejection } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { describeParts, partLines, partPicker, readBundleItems, toBundleField, toPartLine } from './bundle.ts'

const updateProduct = endpoint('PATCH /products/{id}')
const toProduct = ({ id }: Product) => `/products/${id}`

const save: ScreenAction = {
  route: updateProduct,
  body: (context) => {
    const bundle_items = readBundleItems(context)
    // A variant ends being a bundle by its own button.
    if (bundle_items === null) throw invalid(fault('bundle_items', generalFaults.required))
    return changeVariants(context, fieldsNamed(context.form, 'also'), { bundle_items })
  },
  fieldOf: toBundleField,
  done: 'saved',
  to: toProduct,
}

const end: ScreenAction = {
  route: updateProduct,
  body: (context) => changeVariants(context, [], { bundle_items: null }),
  confirm: { title: 'bundle_end_ask', text: 'bundle_end_text', button: 'bundle_end' },
  done: 'saved',
  to: toProduct,
}

/** The body that changes the variant of the page, and others. */
async function changeVariants(context: PageContext, also: readonly string[], change: object): Promise<object> {
  const { form, params } = context
  const { data } = await readNow(context, updateProduct, { id: params.id! })
  const chosen = new Set([field(form, 'variant'), ...also])
  return { variants: (data as Product).variants.map(({ id }) => (chosen.has(id) ? { id, ...change } : { id })) }
}

// prettier-ignore
export const productParts = record({
  path: '/products/{id}/parts', section: 'products', scope: 'read:products', title: 'bundle_parts',
  within: { path: '/products/{id}', title: 'product' },
  resource: product,
  actions: { save, end },
  main: [showParts],
})

async function showParts(context: PageContext, one: Product, version: string): Promise<Html> {
  const chosen = field(context.form, 'variant') || context.query.variant
  const variant = one.variants.find(({ id }) => id === chosen)
  return variant ? partsForm(context, one, variant, version) : variantList(context, one)
}

async function variantList(context: PageContext, { variants }: Product): Promise<Html> {
  const { t, here } = context
  const texts = await describeParts(context, variants)
  const rows = variants.map(
    ({ id, title }, index) =>
      html`<li><a class="main" href="${here}?variant=${id}">${title}</a>
<span class="hint">${texts[index] || t('bundle_none')}</span></li>`,
  )
  return panel(t('variants'), html`<p class="hint">${t('bundle_parts_hint')}</p><ul class="rows">${rows}</ul>`)
}

async function partsForm(context: PageContext, one: Product, variant: Variant, version: string): Promise<Html> {
  const { t } = context
  const props = { act: 'save', action: save, button: 'save', version } as const
  const lines = getFormRejection(context, props)
    ? partLines(context.form)
    : (variant.bundle_items ?? []).map(toPartLine)
  const others = one.variants.filter(({ id }) => id !== variant.id)
  const content = html`${hidden('variant', variant.id)}
${await partPicker(context, lines)}
${others.length > 0 ? await alsoBoxes(context, others) : ''}
<p class="send"><button>${t('save')}</button></p>`
  const fixed = { variant: variant.id, label: variant.title }
  const ending = button(context, { act: 'end', fixed, text: 'bundle_end', kind: 'quiet danger' })
  return panel(
    variant.title,
    html`${await form(context, { ...props, content })}
${variant.bundle_items ? html`<div class="pair next">${ending}</div>` : ''}`,
  )
}

/** Variants that get the same parts. */
async function alsoBoxes(context: PageContext, others: readonly Variant[]): Promise<Html> {
  const { t, form: submission, rejection } = context
  const texts = await describeParts(context, others)
  const ticked = fieldsNamed(submission, 'also')
  const boxes = others.map(({ id, title }, index) => {
    const box = attributes({ type: 'checkbox', name: 'also', value: id, checked: ticked.includes(id) })
    return html`<label class="choice"><input${box}>
<span>${title} <small>${texts[index] || t('bundle_none')}</small></span></label>`
  })
  return html`<fieldset class="part"><legend>${t('bundle_parts_also')}</legend>${boxes}
${renderFieldFault('variants', rejection?.faults.variants)}</fieldset>`
}
