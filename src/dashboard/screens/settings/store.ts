// Settings > Store: open or close the shop, its remaining setup, and the store's details.
import { html } from 'hono/html'
import { readReadiness, type MissingSetup } from '../../../storefront/checkout/offers/readiness.ts'
import { endpoint } from '../../framework/api.ts'
import { button, mayDo } from '../../framework/form.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { metadataAct, metadataAction, metadataPanel } from '../../framework/metadata.ts'
import { mark, panel } from '../../framework/parts.ts'
import { countries, currencies, languageChoices, timezones } from '../../framework/choices.ts'
import { settingsForm } from '../../framework/settingsform.ts'
import { inSettings } from '../../framework/placement.ts'

const change = endpoint('PATCH /store')

export const openShop: ScreenAction = {
  route: change,
  body: { status: 'active', maintenance_mode: false },
  done: 'shop_opened',
}

const metadata = metadataAction('PATCH /store')

const actions: Record<string, ScreenAction> = {
  [metadataAct]: metadata,
  open: openShop,
  maintain: { route: change, body: { maintenance_mode: true }, done: 'shop_maintained' },
  close: {
    route: change,
    body: { status: 'paused' },
    confirm: { title: 'shop_close_ask', text: 'shop_close_text', button: 'shop_close' },
    done: 'shop_closed',
  },
}

// prettier-ignore
export const storeSettings = settingsForm({
  path: '/settings/store', title: 'store_settings', api: '/store',
  ...inSettings('store', { title: 'store_general', text: 'store_general_text', icon: 'shop' }),
  actions,
  before: shopStatePanel,
  after: (context, record) => metadataPanel(context, metadata, record),
  inputs: [
    { name: 'name', label: 'store_name', group: 'store_about' },
    { name: 'store_title', hint: 'store_title_hint' },
    { name: 'description', label: 'store_description', hint: 'store_description_hint', as: 'area' },
    { name: 'slug', hint: 'store_slug_hint' },
    { name: 'country_code', group: 'store_place', options: countries, isHalf: true },
    { name: 'timezone', options: timezones, isHalf: true },
    { name: 'currency', hint: 'store_currency_hint', options: currencies, isHalf: true },
    { name: 'default_language', hint: 'store_language_hint', options: languageChoices, isHalf: true },
    { name: 'tax_id', label: 'store_tax_id', hint: 'store_tax_id_hint', group: 'store_legal' },
    { name: 'test_payments', hint: 'test_payments_hint', group: 'store_trial' },
  ],
})

// prettier-ignore
export const contactSettings = settingsForm({
  path: '/settings/contact', title: 'store_contact', api: '/store/appearance',
  ...inSettings('store', { text: 'store_contact_text', icon: 'contact' }),
  inputs: [
    { name: 'legal_name', hint: 'legal_name_hint' },
    { name: 'contact_address', as: 'area', rows: 3 },
    { name: 'contact_email', hint: 'contact_email_hint', isHalf: true },
    { name: 'contact_phone', isHalf: true },
    { name: 'social_links', hint: 'social_links_hint', as: 'lines' },
  ],
})

const screenOfLack: Record<MissingSetup, string> = {
  shipping_rates: '/settings/checkout/shipping',
  payment_methods: '/settings/checkout/payments',
  payment_methods_of_rates: '/settings/checkout/shipping',
}

type ShopState = { status: 'active' | 'paused' | 'suspended'; maintenance_mode: boolean; storefront_url: string }

async function shopStatePanel(
  context: PageContext,
  { status, maintenance_mode, storefront_url }: ShopState,
): Promise<Html> {
  const { t, db, store, base } = context
  const { missing: lacks } = await readReadiness(db, store)
  const state = status === 'active' ? (maintenance_mode ? 'maintenance' : 'open') : status
  const tone = state === 'open' ? 'good' : state === 'maintenance' ? 'warn' : 'bad'
  const missing = lacks.map(
    (lack) => html`<li><a class="main" href="${base}${screenOfLack[lack]}">${t(`lack_${lack}`)}</a></li>`,
  )
  const isFixed = state === 'suspended' || !mayDo(context, actions.open!)
  const open = button(context, { act: 'open', text: 'shop_open', kind: '' })
  const shut = html`${button(context, { act: 'maintain', text: 'shop_maintain' })}
${button(context, { act: 'close', text: 'shop_close', kind: 'quiet danger' })}`
  return panel(
    t('shop_state'),
    html`<p>${mark(t(state === 'open' ? 'shop_open_now' : `shop_${state}`), tone)} ${t(`shop_${state}_text`)}</p>
${missing.length > 0 ? html`<div class="notice warning"><p>${t('shop_lacks')}</p><ul>${missing}</ul></div>` : ''}
<p><a href="${storefront_url}" target="_blank">${storefront_url}</a></p>
${isFixed ? '' : html`<div class="pair">${state === 'open' ? shut : open}</div>`}`,
  )
}
