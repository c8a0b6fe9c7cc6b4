// The form of the product page, and the pages of the links in the emails. Programs open links in emails, so only
// buttons change something.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'
import { findPublicProduct, type PublicProduct } from '../../commerce/catalog/public.ts'
import { attributes, hidden, input } from '../../platform/pages/parts.ts'
import type { ShopParts } from '../../tenancy/extensions/extension.ts'
import { listChoices, type Choice } from '../../storefront/shop/catalog/choice.ts'
import type { ExtensionVisit } from '../../storefront/shop/extensions.ts'
import { field, type Html, type ShopResult } from '../../storefront/shop/frame/page.ts'
import { frame, note } from '../../storefront/shop/frame/view.ts'
import {
  confirmRequest,
  findOwnRequest,
  isActive,
  requestEmail,
  stopAll,
  stopRequest,
  type OwnRequest,
} from './operations.ts'
import { typedEmail } from './request.ts'

export const shop: ShopParts = {
  product: showOffer,
  pages: [
    { method: 'POST', path: '/backinstock', run: ask },
    { method: 'GET', path: '/backinstock/sent', run: showSent },
    { method: 'GET', path: '/backinstock/stop/:link', run: showStop },
    { method: 'POST', path: '/backinstock/stop/:link', run: stop, fromAnywhere: true },
    { method: 'GET', path: '/backinstock/:link', run: showRequest },
    { method: 'POST', path: '/backinstock/:link', run: changeRequest },
  ],
}

/** Of the choices that are sold out. A product that never had any offers nothing. */
async function showOffer(visit: ExtensionVisit, product: PublicProduct): Promise<Html | ''> {
  const choices = listSoldOut(product)
  if (choices.length === 0 || !(await isActive(visit.db, visit.store.id))) return ''
  const isWhole = choices.length === listChoices(product).length
  return html`<details class="facts"${isWhole ? html` open` : ''}>
<summary>${visit.text(isWhole ? 'backinstock_title' : 'backinstock_title_some')}</summary>
${form(visit, product, choices)}</details>`
}

function listSoldOut(product: PublicProduct): Choice[] {
  return listChoices(product).filter(({ sells }) => !sells)
}

type Typed = { email: string; variant: string; fault?: string }

function form(
  { text, root }: ExtensionVisit,
  product: PublicProduct,
  choices: readonly Choice[],
  { email, variant, fault }: Typed = { email: '', variant: '' },
): Html {
  const options = choices.map(
    ({ variant_id, labels }) =>
      html`<option${attributes({ value: variant_id, selected: variant_id === variant })}>
${labels.join(' / ')}</option>`,
  )
  const select = html`<p class="field"><label for="backinstock-variant">${text('backinstock_variant')}</label>
<select id="backinstock-variant" name="variant">${options}</select></p>`
  return html`<form method="post" action="${root}/backinstock" novalidate data-once>
${hidden('product', product.slug)}
${product.variants.length === 0 ? '' : choices.length === 1 ? hidden('variant', choices[0]!.variant_id!) : select}
${input(text('backinstock_email'), {
  name: 'email',
  id: 'backinstock-email',
  type: 'email',
  autocomplete: 'email',
  value: email,
  fault,
  focus: fault !== undefined,
})}
<button class="quiet">${text('backinstock_ask')}</button>
<p class="soft">${text('backinstock_about')}</p></form>`
}

async function ask(visit: ExtensionVisit): Promise<ShopResult> {
  const { db, store, translation, language, text } = visit
  const slug = field(visit.form, 'product')
  const { entity: product } = await findPublicProduct(db, store, slug, translation)
  if (!(await isActive(db, store.id))) throw notFound('Page')
  const choices = listSoldOut(product)
  const typed = { email: field(visit.form, 'email').trim(), variant: field(visit.form, 'variant') }
  const isWhole = product.variants.length === 0
  const choice = choices.find(({ variant_id }) => isWhole || variant_id === typed.variant)
  // Someone else has bought none of it since: it can be bought now.
  if (!choice) return { to: `/products/${product.slug}` }
  try {
    const { email } = typedEmail.read({ email: typed.email }, store)
    const wish = { product_id: toUuid('prod', product.id)!, variant_id: choice.variant_id, email, language }
    await db.transaction((tx) => requestEmail(tx, store, wish))
    return { to: `/backinstock/sent?product=${product.slug}` }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error
    const fault = text('backinstock_email_wrong')
    return { status: 422, page: askPage(visit, product, form(visit, product, choices, { ...typed, fault })) }
  }
}

function askPage(visit: ExtensionVisit, product: PublicProduct, content: Html): Html {
  const title = visit.text('backinstock_title')
  return frame(visit, {
    title,
    content: html`<div class="ask"><h1>${title}</h1><p>${product.name}</p>${content}</div>`,
  })
}

function showSent(visit: ExtensionVisit): ShopResult {
  const { text } = visit
  return { page: note(visit, { title: text('backinstock_sent'), text: text('backinstock_sent_text') }) }
}

async function readRequest({
  db,
  store,
  links,
  params,
}: ExtensionVisit): Promise<(OwnRequest & { id: string }) | null> {
  const id = links.open(params.link!)
  if (id === null || !isUuid(id)) throw notFound('Page')
  const request = await findOwnRequest(db, store.id, id)
  return request ? { ...request, id } : null
}

async function showRequest(visit: ExtensionVisit): Promise<ShopResult> {
  const request = await readRequest(visit)
  return request ? { page: requestPage(visit, request) } : answerEnded(visit)
}

/** An address that waits can stop. */
function requestPage(visit: ExtensionVisit, { name, variant, confirmed_at }: OwnRequest): Html {
  const { text, here } = visit
  const product = [name, variant].filter(Boolean).join(' · ')
  const [title, about, act, button] = confirmed_at
    ? (['backinstock_waiting', 'backinstock_waiting_text', 'stop', 'backinstock_stop'] as const)
    : (['backinstock_confirm_title', 'backinstock_confirm_page', 'confirm', 'backinstock_confirm'] as const)
  return note(visit, {
    title: text(title),
    text: text(about, { product }),
    more: html`<form method="post" action="${here}" data-once>
<button${act === 'stop' ? html` class="quiet"` : ''} name="act" value="${act}">${text(button)}</button></form>`,
  })
}

async function changeRequest(visit: ExtensionVisit): Promise<ShopResult> {
  const request = await readRequest(visit)
  if (!request) return answerEnded(visit)
  const { db, store, text } = visit
  const isStop = field(visit.form, 'act') === 'stop'
  await db.transaction(async (tx) => (isStop ? stopRequest : confirmRequest)(tx, store.id, request.id))
  if (isStop) return { page: stoppedPage(visit) }
  const product = [request.name, request.variant].filter(Boolean).join(' · ')
  const content = { title: text('backinstock_waiting'), text: text('backinstock_waiting_text', { product }) }
  return { page: note(visit, content) }
}

function answerEnded(visit: ExtensionVisit): ShopResult {
  const { text } = visit
  return { status: 410, page: note(visit, { title: text('backinstock_ended'), text: text('backinstock_ended_text') }) }
}

function readMark({ links, params }: ExtensionVisit): string {
  const mark = links.open(params.link!)
  if (mark === null || isUuid(mark)) throw notFound('Page')
  return mark
}

function showStop(visit: ExtensionVisit): ShopResult {
  const { text, here, store } = visit
  readMark(visit)
  return {
    page: note(visit, {
      title: text('backinstock_stop_title'),
      text: text('backinstock_stop_text', { store: store.name }),
      more: html`<form method="post" action="${here}">
<button name="act" value="stop">${text('backinstock_stop')}</button></form>`,
    }),
  }
}

/** By the button of the page, or by a mail program: RFC 8058 §3.2. */
async function stop(visit: ExtensionVisit): Promise<ShopResult> {
  const { db, store } = visit
  const mark = readMark(visit)
  await db.transaction(async (tx) => stopAll(tx, store.id, mark))
  return field(visit.form, 'act') === '' ? { empty: true } : { page: stoppedPage(visit) }
}

function stoppedPage(visit: ExtensionVisit): Html {
  const { text } = visit
  return note(visit, { title: text('backinstock_stopped'), text: text('backinstock_stopped_text') })
}
