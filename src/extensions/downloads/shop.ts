// What an order grants on its page, and the pages of the links. Programs open links in emails, so only the button
// downloads and counts.
import { html } from 'hono/html'
import { findRecord } from '../../kit/declare/page.ts'
import { notFound, unavailable } from '../../kit/values/errors.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'
import { order as orders, type Order } from '../../commerce/orders/order.ts'
import type { ShopParts } from '../../tenancy/extensions/extension.ts'
import { dateIn } from '../../storefront/shop/checkout/countries.ts'
import type { ExtensionVisit } from '../../storefront/shop/extensions.ts'
import type { Html, ShopResult } from '../../storefront/shop/frame/page.ts'
import { frame, note } from '../../storefront/shop/frame/view.ts'
import { buildFileKey } from './files.ts'
import { countDownload, findGrant } from './grants.ts'
import type { Grant } from './download.ts'
import { readOrderGrants, type NamedGrant } from './order.ts'

export const shop: ShopParts = {
  order: showInOrder,
  pages: [
    { method: 'GET', path: '/downloads/order/:link', run: showOrder },
    { method: 'GET', path: '/downloads/:link', run: showFile },
    { method: 'POST', path: '/downloads/:link', run: download, fromAnywhere: true },
  ],
}

async function showInOrder(visit: ExtensionVisit, { id }: Order): Promise<Html | ''> {
  const { db, store, translation, text } = visit
  const grants = await readOrderGrants(db, store.id, toUuid('ord', id)!, translation)
  if (grants.length === 0) return ''
  return html`<section><h2>${text('downloads_title')}</h2>${listGrants(visit, grants)}</section>`
}

function listGrants(visit: ExtensionVisit, grants: readonly NamedGrant[]): Html {
  return html`<ul class="records">${grants.map((grant) =>
    grant.file_id === null ? renderKeys(visit, grant) : renderFile(visit, grant),
  )}</ul>`
}

function renderFile(visit: ExtensionVisit, grant: NamedGrant): Html {
  const { root, text, links } = visit
  const { id, name, item_name, status } = grant
  const button = html`<form method="post" action="${root}/downloads/${links.sign(toUuid('dlg', id)!)}">
<button class="quiet" aria-label="${text('downloads_download')}: ${name ?? ''}">${text('downloads_download')}</button>
</form>`
  return html`<li><div><b>${name ?? ''}</b><br><span class="soft">${item_name}</span><br>
<span class="soft">${status === 'active' ? describeRest(visit, grant) : describeEnd(visit, grant)}</span></div>
${status === 'active' ? button : ''}</li>`
}

/** How often and how long it can still be downloaded. */
function describeRest({ text, language, store }: ExtensionVisit, grant: Grant): string {
  const { downloads, max_downloads, expires_at } = grant
  const left = max_downloads !== null && text('downloads_left', { count: max_downloads - downloads })
  const until = expires_at && text('downloads_until', { date: dateIn(language, store, expires_at) })
  return [left, until].filter(Boolean).join(' · ')
}

/** Why it cannot be downloaded any more. */
function describeEnd({ text, language, store }: ExtensionVisit, grant: Grant): string {
  const { status, downloads, expires_at } = grant
  if (status === 'used_up') return text('downloads_used_up', { count: downloads })
  if (status === 'expired') return text('downloads_expired', { date: dateIn(language, store, expires_at!) })
  return text('downloads_revoked')
}

function renderKeys({ text }: ExtensionVisit, { item_name, keys, missing_keys, status }: NamedGrant): Html {
  if (status !== 'active') {
    return html`<li><div><b>${text('downloads_keys')}</b><br><span class="soft">${item_name}</span><br>
<span class="soft">${text('downloads_revoked')}</span></div></li>`
  }
  return html`<li><div><b>${text('downloads_keys')}</b><br><span class="soft">${item_name}</span>
${keys.map((key) => html`<br><code>${key}</code>`)}
${missing_keys > 0 || keys.length === 0 ? html`<br><span class="soft">${text('downloads_keys_follow')}</span>` : ''}
</div></li>`
}

function readLink({ links, params }: ExtensionVisit): string {
  const id = links.open(params.link!)
  if (id === null || !isUuid(id)) throw notFound('Page')
  return id
}

async function showOrder(visit: ExtensionVisit): Promise<ShopResult> {
  const { db, store, text } = visit
  const orderId = readLink(visit)
  const { entity } = await findRecord(db, orders, store.id, orderId)
  const title = text('downloads_title_of', { number: entity.order_number })
  return showGrants(visit, title, await readOrderGrants(db, store.id, orderId, visit.translation))
}

/** Only the file of the link: it may have been passed on. */
async function showFile(visit: ExtensionVisit): Promise<ShopResult> {
  const { db, store, text } = visit
  const grant = await findGrant(db, store.id, readLink(visit))
  if (grant.status !== 'active') return answerEnded(visit, grant)
  const grants = await readOrderGrants(db, store.id, toUuid('ord', grant.order_id)!, visit.translation)
  return showGrants(
    visit,
    text('downloads_title'),
    grants.filter(({ id }) => id === grant.id),
  )
}

function showGrants(visit: ExtensionVisit, title: string, grants: readonly NamedGrant[]): ShopResult {
  if (grants.length === 0) throw notFound('Page')
  const content = html`<div class="note"><h1>${title}</h1>${listGrants(visit, grants)}</div>`
  return { page: frame(visit, { title, content }) }
}

/** A download is counted before it is sent, so that none is sent beyond the limit. */
async function download(visit: ExtensionVisit): Promise<ShopResult> {
  const { db, store, deps } = visit
  const id = readLink(visit)
  const grant = await findGrant(db, store.id, id)
  if (grant.file_id === null) throw notFound('Page')
  if (grant.status !== 'active') return answerEnded(visit, grant)
  const content = await deps.openFile(buildFileKey(store.id, toUuid('dlf', grant.file_id)!))
  if (!content) throw unavailable()
  const counted = await countDownload(db, store.id, id)
  if (!counted) {
    content.destroy()
    return answerEnded(visit, await findGrant(db, store.id, id))
  }
  const { name, content_type, bytes } = counted
  const headers = {
    'content-disposition': formatDisposition(name),
    'content-length': String(bytes),
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  }
  return { file: { type: content_type, body: content }, headers }
}

function answerEnded(visit: ExtensionVisit, grant: Grant): ShopResult {
  const title = visit.text('downloads_ended')
  const why = [grant.name, describeEnd(visit, grant)].filter(Boolean).join(' · ')
  const text = `${why} ${visit.text('downloads_ask', { store: visit.store.name })}`
  return { status: 410, page: note(visit, { title, text }) }
}

/** RFC 6266 §5: a plain name for old programs, and the whole one. */
function formatDisposition(name: string): string {
  const plain = name.replaceAll(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed())
  const whole = encoded.replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
