// One product, and the screen of a new one: all that the API takes of it in one form, and below what is done at once.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { etagOf } from '../../../kit/declare/conditions.ts'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { button, fields, form, type Drawing } from '../../framework/form.ts'
import { panel } from '../../framework/parts.ts'
import type { Html, Screen, Visit } from '../../framework/page.ts'
import { uploadForm } from '../pictures/pictures.ts'
import { searchPreview } from '../../framework/searchpreview.ts'
import { titleOf } from '../../../commerce/catalog/variant.ts'
import { translationLinks, translationScreens } from '../../framework/translations.ts'
import type { Word } from '../../framework/words.ts'
import { actions, create } from './actions.ts'
import { inputs } from './fields.ts'
import { gallery } from './gallery.ts'
import { matrix } from './matrix.ts'
import { membership } from './membership.ts'
import { latestMovements } from './stock.ts'

/** 500 variants of 16 fields each, and a description of 50,000 characters in the longest spelling of a form. */
const limits = { fields: 10_000, bytes: 2 * 1024 * 1024 }

const base = {
  scope: 'read:products',
  section: 'products',
  within: { path: '/products', title: 'products' },
  limits,
} as const

const blank = { product_status: 'draft', condition: 'new', low_stock_threshold: 5, stock_quantity: 0 }

export const productNew: Screen = {
  ...base,
  path: '/products/new',
  title: 'product_new',
  actions: { save: create },
  async show(visit) {
    const drawing: Drawing = { act: 'save', action: create, button: 'product_create', values: blank }
    return { content: await editor(visit, drawing, null) }
  },
}

export const productScreen: Screen = {
  ...base,
  path: '/products/{id}',
  title: 'products',
  params: { id: product },
  actions,
  async show(visit) {
    const { db, store, ids, role, params } = visit
    const { entity, json } = await findRecord(db, product, store.id, ids.id!)
    const drawing: Drawing = {
      act: 'save',
      action: actions.save!,
      button: 'save',
      values: entity,
      version: etagOf(json),
    }
    const mayWrite = mayUse(role, 'write:products')
    return {
      title: entity.name,
      buttons: linksOf(visit, entity),
      content: html`${await editor(visit, drawing, entity)}
<div data-plain-pictures>${panel(visit.say('picture_add'), await uploadForm(visit, 'picture', actions.picture!))}</div>
${await membership(visit)}${await latestMovements(visit, entity)}
${translationLinks(visit, `/products/${params.id!}/translations`)}
${mayWrite ? doing(visit, entity) : ''}`,
    }
  },
}

export const productTranslations = translationScreens({
  path: '/products/{id}/translations',
  api: '/products/{id}/translations',
  section: 'products',
  within: { path: '/products/{id}', title: 'product' },
  params: { id: product },
  texts: inputs.about,
  own: productOf,
  termsOf: async (visit) => {
    const { options, variants } = await productOf(visit)
    const own = variants.filter((one) => one.title !== titleOf(one)).map(({ title }) => title)
    return [...options.flatMap(({ title, values }) => [title, ...values]), ...own]
  },
})

async function productOf({ db, store, ids }: Visit): Promise<Product> {
  return (await findRecord(db, product, store.id, ids.id!)).entity
}

function linksOf({ say, baseUrl, store }: Visit, { slug, product_status }: Product): Html | '' {
  const address = `${baseUrl}/s/${store.slug}/products/${slug}`
  const seen = html`<a class="button quiet" href="${address}">${say('see_in_shop')}</a>`
  return product_status === 'active' ? seen : ''
}

async function editor(visit: Visit, drawing: Drawing, record: Product | null): Promise<Html> {
  const { say } = visit
  const group = async (title: Word, names: readonly (keyof typeof inputs)[], more: Html | '' = '') => {
    const drawn = await Promise.all(names.map((name) => fields(visit, drawing, inputsOf(name, record))))
    return panel(say(title), html`${drawn}${more}`)
  }
  const content = html`<div class="columns"><div>
${await group('product_about', ['about'])}
${panel(say('pictures'), gallery(visit, record, 'save'))}
${await group('prices', ['price'], html`${margin(visit, record)}${await wholesale(visit, drawing, record)}`)}
${await group('stock', ['stock'])}
${await group('search_engines', ['search'], searchPreview(visit, record, 'products'))}
</div><div class="aside">${await group('product_status', ['status'])}
${await group('sorting_in', ['place'])}
${await group('selling', ['delivery'])}</div></div>
${panel(say('variants'), matrix(visit, record, 'save'))}
<p class="send save"><button>${say(drawing.button)}</button></p>`
  return html`${await form(visit, { ...drawing, content })}
<dialog id="pick" aria-label="${say('picture')}" data-none="${say('picture_none')}"
 data-number="${say('picture_number', { number: '{number}' })}"><div class="pair"></div>
<form method="dialog" data-whole><button class="quiet">${say('cancel_form')}</button></form></dialog>`
}

/** With variants, the stock is theirs. */
function inputsOf(name: keyof typeof inputs, record: Product | null) {
  const isSum = (record?.variants.length ?? 0) > 0
  return inputs[name].filter((input) => !(isSum && input.name === 'stock_quantity'))
}

function margin({ say, price }: Visit, record: Product | null): Html | '' {
  if (!record?.supplier_cost) return ''
  const earned = record.price - record.supplier_cost
  const percent = Math.round((earned / record.price) * 100)
  return html`<p class="hint">${say('margin', { amount: price(earned), percent })}</p>`
}

async function wholesale(visit: Visit, drawing: Drawing, record: Product | null): Promise<Html> {
  const isOpen = record?.wholesale_price !== null && record?.wholesale_price !== undefined
  const hasFault = inputs.bulk.some(({ name }) => visit.refused?.faults[name])
  return html`<details${isOpen || hasFault ? html` open` : ''}><summary>${visit.say('wholesale')}</summary>
${await fields(visit, drawing, inputs.bulk)}</details>`
}

function doing(visit: Visit, { product_status, name }: Product): Html {
  const { say } = visit
  const fixed = { label: name }
  const isArchived = product_status === 'archived'
  return panel(
    say('more_steps'),
    html`<div class="pair next">${button(visit, { act: 'duplicate', text: 'duplicate', leaves: true })}
${button(visit, isArchived ? { act: 'activate', text: 'unarchive' } : { act: 'archive', text: 'archive' })}
${button(visit, { act: 'delete', fixed, text: 'delete', kind: 'quiet danger', leaves: true })}</div>
<p class="hint">${say('archive_hint')}</p>`,
  )
}
