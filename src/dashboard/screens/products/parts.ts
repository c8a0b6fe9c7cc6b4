// The parts of variants that are bundles: the same ones for all variants that are ticked.
import { html } from 'hono/html'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { fieldsNamed } from '../../../platform/pages/form.ts'
import { attributes, renderFieldFault } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../framework/api.ts'
import { readNow } from '../../framework/call.ts'
import { form, getFormRejection } from '../../framework/form.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { describeParts, partLines, partPicker, readBundleItems, toBundleField, toPartLine } from './bundle.ts'

const save: ScreenAction = {
  route: endpoint('PATCH /products/{id}'),
  body: partsBody,
  isOfSelection: true,
  // Every ticked variant has the same parts, and the same faults.
  fieldOf: (name) => toBundleField(name.replace(/^variants\.\d+\./, '')),
  done: 'saved',
  to: ({ id }) => `/products/${id}`,
}

async function partsBody(context: PageContext): Promise<object> {
  const { form, params } = context
  const { data } = await readNow(context, save.route, { id: params.id! })
  const ticked = fieldsNamed(form, 'ticked')
  const bundle_items = readBundleItems(form)
  const { variants } = data as Product
  return { variants: variants.map(({ id }) => (ticked.includes(id) ? { id, bundle_items } : { id })) }
}

// prettier-ignore
export const productParts = record({
  path: '/products/{id}/parts', section: 'products', scope: 'read:products', title: 'bundle_parts',
  within: { path: '/products/{id}', title: 'product' },
  resource: product,
  actions: { save },
  main: [partsForm],
})

async function partsForm(context: PageContext, one: Product, version: string): Promise<Html> {
  const { t, query } = context
  const props = { act: 'save', action: save, button: 'save', version } as const
  const rejection = getFormRejection(context, props)
  const [first] = one.variants.filter(({ id }) => id === query.variant)
  const ticked = rejection ? fieldsNamed(context.form, 'ticked') : first ? [first.id] : []
  const lines = rejection ? partLines(context.form) : (first?.bundle_items ?? []).map(toPartLine)
  const content = html`<p class="hint">${t('bundle_parts_hint')}</p>
${await variantBoxes(context, one, ticked)}
${await partPicker(context, lines)}
<p class="send"><button>${t('save')}</button></p>`
  return html`<div class="panel">${await form(context, { ...props, content })}</div>`
}

async function variantBoxes(context: PageContext, { variants }: Product, ticked: readonly string[]): Promise<Html> {
  const texts = await describeParts(context, variants)
  const boxes = variants.map(({ id, title }, index) => {
    const box = attributes({ type: 'checkbox', name: 'ticked', value: id, checked: ticked.includes(id) })
    const parts = texts[index] ? html` <small>${texts[index]}</small>` : ''
    return html`<label class="choice"><input${box}> <span>${title}${parts}</span></label>`
  })
  return html`<fieldset class="part"><legend>${context.t('bundle_parts_of')}</legend>${boxes}
${renderFieldFault('variants', context.rejection?.faults.variants)}</fieldset>`
}
