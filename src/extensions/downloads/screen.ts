// What a product gives its buyers, what an order has granted, and the settings.
import { html } from 'hono/html'
import { sql } from '../../kit/database/sql.ts'
import { findRecord, entityPage } from '../../kit/declare/page.ts'
import { publicId } from '../../kit/values/ids.ts'
import { product, type Product } from '../../commerce/catalog/product.ts'
import { order, type Order } from '../../commerce/orders/order.ts'
import { attributes, renderFieldFault } from '../../platform/pages/parts.ts'
import { endpoint } from '../../dashboard/framework/api.ts'
import { button, form } from '../../dashboard/framework/form.ts'
import { mark } from '../../dashboard/framework/parts.ts'
import { inSettings } from '../../dashboard/framework/placement.ts'
import { record } from '../../dashboard/framework/record.ts'
import { settingsForm } from '../../dashboard/framework/settingsform.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../dashboard/framework/screen.ts'
import { file, maxFileBytes, maxFileMegabytes, type Grant } from './download.ts'
import { listOrderGrants, listUndoneGrants } from './grants.ts'
import { countKeys } from './keys.ts'
import { readSettings } from './settings.ts'

type FileRecord = NonNullable<typeof file.type>
type KeyCount = Awaited<ReturnType<typeof countKeys>>[number]

const ofProduct = ({ params }: PageContext) => ({ product_id: params.id! })

/** Only a product with variants has the choice. */
async function listVariants({ db, store, ids, t }: PageContext) {
  const { entity } = await findRecord(db, product, store.id, ids.id!)
  const variants = entity.variants.map(({ id, title }) => [id, title] as const)
  return [['', t('downloads_every_variant')] as const, ...variants]
}

const nameInput: FormInput = { name: 'name', label: 'downloads_name', hint: 'downloads_name_hint' }
const keysInput: FormInput = { name: 'keys', label: 'downloads_keys', hint: 'downloads_keys_hint', as: 'area', rows: 6 }
const variantInput: FormInput = { name: 'variant_id', label: 'variant', options: listVariants }

const withVariant = (input: FormInput, { variants }: Product) => (variants.length > 0 ? [input, variantInput] : [input])

const upload: ScreenAction = {
  route: endpoint('POST /downloads/files'),
  inputs: [nameInput, variantInput],
  body: ofProduct,
  done: 'downloads_added',
}
const remove: ScreenAction = {
  route: endpoint('DELETE /downloads/files/{id}'),
  idFrom: { id: 'file_id' },
  confirm: { title: 'downloads_delete_ask', text: 'downloads_delete_text', button: 'delete' },
  done: 'downloads_deleted',
}
const paste: ScreenAction = {
  route: endpoint('POST /downloads/keys'),
  inputs: [keysInput, variantInput],
  body: ofProduct,
  done: 'downloads_keys_added',
  countOf: ({ added }) => added,
}

/** Hands the product's keys over to an app, or takes them back. */
const toggleApp: ScreenAction = {
  route: endpoint('PATCH /downloads/settings'),
  body: async ({ db, store, ids, params }) => {
    const { key_product_ids: ofApp } = await readSettings(db, store.id)
    const others = ofApp.filter((id) => id !== ids.id).map((id) => publicId('prod', id))
    return { key_product_ids: ofApp.includes(ids.id!) ? others : [...others, params.id!] }
  },
  done: 'saved',
}

const productDownloads = record({
  path: '/products/{id}/downloads',
  scope: 'read:products',
  title: 'downloads',
  section: 'products',
  within: { path: '/products/{id}', title: 'product' },
  params: { id: product },
  actions: { upload, remove, paste, app: toggleApp },
  read: readProductDownloads,
  name: ({ record: one }, { t }) => `${t('downloads')} · ${one.name}`,
  main: [
    { title: 'downloads_files', content: listFiles },
    { title: 'downloads_add', content: uploadForm, scope: 'write:products' },
    {
      title: 'downloads_keys',
      lead: listKeyCounts,
      form: { act: 'paste', button: 'downloads_keys_add', inputs: (_, { record: one }) => withVariant(keysInput, one) },
    },
    { content: renderAppSwitch, scope: 'write:store' },
  ],
})

type ProductDownloads = { record: Product; files: FileRecord[]; keys: KeyCount[]; isByApp: boolean }

async function readProductDownloads({ db, store, ids }: PageContext): Promise<ProductDownloads> {
  const [{ entity }, files, keys, { key_product_ids: ofApp }] = await Promise.all([
    findRecord(db, product, store.id, ids.id!),
    listProductFiles({ db, store }, ids.id!),
    countKeys(db, store.id, ids.id!),
    readSettings(db, store.id),
  ])
  return { record: entity, files, keys, isByApp: ofApp.includes(ids.id!) }
}

function renderAppSwitch(context: PageContext, { isByApp }: ProductDownloads): Html {
  const { t } = context
  const text = isByApp ? 'downloads_keys_end' : 'downloads_keys_app'
  return html`<p class="hint">${t(isByApp ? 'downloads_keys_by_app' : 'downloads_keys_app_text')}</p>
<p class="send">${button(context, { act: 'app', text, kind: 'quiet' })}</p>`
}

async function listProductFiles({ db, store }: Pick<PageContext, 'db' | 'store'>, id: string): Promise<FileRecord[]> {
  const query = { page: 1, per_page: 100, sort: 'created_at', order: 'asc' } as const
  return (await entityPage(db, file, store, query, sql`downloads_files.product_id = ${id}`)).data
}

function listFiles(context: PageContext, { record: one, files }: ProductDownloads): Html {
  const { t } = context
  if (files.length === 0) return html`<p class="hint">${t('downloads_none')}</p>`
  const rows = files.map(({ id, name, bytes, variant_id }) => {
    const variant = one.variants.find((each) => each.id === variant_id)
    const about = [formatSize(context, bytes), variant?.title].filter(Boolean).join(' · ')
    const removal = { act: 'remove', fixed: { file_id: id, label: name }, text: 'delete' } as const
    return html`<li><div><b>${name}</b><br><span class="hint">${about}</span></div>
<div class="pair">${button(context, { ...removal, kind: 'quiet danger', about: name })}</div></li>`
  })
  return html`<ul class="rows">${rows}</ul>${hintAtShipping(context, one)}`
}

/** A product that is a download only is not shipped. */
function hintAtShipping({ t, base }: PageContext, { id, name, requires_shipping, variants }: Product): Html | '' {
  if (!requires_shipping || variants.some((one) => one.requires_shipping === false)) return ''
  const text = t('downloads_still_shipped', { label: t('requires_shipping') })
  return html`<p class="hint">${text} <a href="${base}/products/${id}">${name}</a></p>`
}

function formatSize({ language }: PageContext, bytes: number): string {
  const [value, unit] = bytes < 1e6 ? [Math.ceil(bytes / 1e3), 'kilobyte'] : [bytes / 1e6, 'megabyte']
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
}

async function uploadForm(context: PageContext, { record: one, files }: ProductDownloads): Promise<Html> {
  const { t, rejection } = context
  const fault = rejection?.act === 'upload' ? rejection.faults.file : undefined
  // After each upload it is another input: the script that exchanges the page would leave the file in the same one.
  const id = `upload-file-${files.at(-1)?.id ?? 'first'}`
  const about = { id, type: 'file', name: 'file', required: true, 'data-most': maxFileBytes }
  const large = { 'data-too-large': t('downloads_too_large', { limit: maxFileMegabytes }) }
  const faulty = { 'aria-invalid': fault && 'true', 'aria-describedby': fault && `${id}-fault` }
  const lead = html`<p class="field"><label for="${id}">${t('downloads_file', { limit: maxFileMegabytes })}</label>
<input${attributes({ ...about, ...large, ...faulty })}></p>${renderFieldFault(id, fault)}`
  const action = { ...upload, inputs: withVariant(nameInput, one) }
  return form(context, { act: 'upload', action, button: 'downloads_add', lead, isQuiet: true })
}

function listKeyCounts({ t }: PageContext, { record: one, keys }: ProductDownloads): Html {
  const rows = keys.map(({ variant_id, free, handed_out }) => {
    const variant = one.variants.find(({ id }) => id === variant_id)
    const name = variant?.title ?? (one.variants.length > 0 ? t('downloads_every_variant') : '')
    const counts = [t('downloads_keys_left', { count: free }), t('downloads_keys_out', { count: handed_out })]
    return html`<li>${[name, ...counts].filter(Boolean).join(' · ')}</li>`
  })
  return html`<p class="hint">${t('downloads_keys_text')}</p>${rows.length > 0 ? html`<ul>${rows}</ul>` : ''}`
}

const ofGrant = { idFrom: { id: 'grant_id' } }

const renew: ScreenAction = {
  route: endpoint('POST /downloads/grants/{id}/renew'),
  ...ofGrant,
  conflict: 'downloads_not_renewed',
  done: 'downloads_renewed',
}
const revoke: ScreenAction = {
  route: endpoint('POST /downloads/grants/{id}/revoke'),
  ...ofGrant,
  confirm: { title: 'downloads_revoke_ask', text: 'downloads_revoke_text', button: 'downloads_revoke' },
  done: 'downloads_revoked_done',
}

type OrderDownloads = { record: Order; grants: Grant[]; undone: Set<string> }

const orderDownloads = record({
  path: '/orders/{id}/downloads',
  scope: 'read:orders',
  title: 'downloads',
  section: 'orders',
  within: { path: '/orders/{id}', title: 'order' },
  params: { id: order },
  actions: { renew, revoke },
  read: readOrderDownloads,
  main: [{ content: listGrants }],
})

async function readOrderDownloads({ db, store, ids }: PageContext): Promise<OrderDownloads> {
  const [{ entity }, grants, undone] = await Promise.all([
    findRecord(db, order, store.id, ids.id!),
    listOrderGrants(db, store.id, ids.id!),
    listUndoneGrants(db, store.id, ids.id!),
  ])
  return { record: entity, grants, undone }
}

function listGrants(context: PageContext, { record: { items }, grants, undone }: OrderDownloads): Html {
  const { t } = context
  if (grants.length === 0) return html`<p class="hint">${t('downloads_none_granted')}</p>`
  const rows = grants.map((grant) => {
    const item = items.find(({ id }) => id === grant.item_id)
    const names = [item?.product_name, item?.variant_name].filter(Boolean).join(' · ')
    const label = grant.name ?? t('downloads_keys')
    const about = { fixed: { grant_id: grant.id, label }, about: label }
    const isOn = grant.status !== 'revoked'
    const canRenew = isOn ? grant.file_id !== null : !undone.has(grant.id)
    return html`<li><div><b>${label}</b> ${renderStatus(context, grant)}<br><span class="hint">${names}</span><br>
<span class="hint">${describeGrant(context, grant)}</span>
${grant.keys.map((key) => html`<br><code>${key}</code>`)}</div>
<div class="pair">${canRenew ? button(context, { act: 'renew', text: 'downloads_renew', ...about }) : ''}
${isOn ? button(context, { act: 'revoke', text: 'downloads_revoke', kind: 'quiet danger', ...about }) : ''}</div></li>`
  })
  return html`<ul class="rows">${rows}</ul>`
}

const tones = { active: 'good', used_up: 'warn', expired: 'warn', revoked: 'bad' } as const

const renderStatus = ({ t }: PageContext, { status }: Grant) => mark(t(`downloads_status_${status}`), tones[status])

function describeGrant({ t, formatTime }: PageContext, grant: Grant): string {
  const { file_id, downloads, max_downloads, expires_at, missing_keys } = grant
  if (file_id === null) return missing_keys > 0 ? t('downloads_keys_missing', { count: missing_keys }) : ''
  const count =
    max_downloads === null
      ? t('downloads_count', { count: downloads })
      : t('downloads_count_of', { count: downloads, limit: max_downloads })
  return [count, expires_at && t('downloads_until', { date: formatTime(expires_at) })].filter(Boolean).join(' · ')
}

const settingsScreen = settingsForm({
  path: '/settings/downloads',
  title: 'downloads',
  api: '/downloads/settings',
  ...inSettings('store', { text: 'downloads_settings_text', icon: 'download' }),
  inputs: [
    { name: 'max_downloads', label: 'downloads_max', hint: 'downloads_max_hint' },
    { name: 'days', label: 'downloads_days', hint: 'downloads_days_hint' },
  ],
})

export const screens = [productDownloads, orderDownloads, settingsScreen]
