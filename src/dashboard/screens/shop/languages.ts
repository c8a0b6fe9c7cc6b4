// Shop > Languages: the languages of the shop, and translations of its texts.
import { listInOrder } from '../../framework/sortlist.ts'
import { html } from 'hono/html'
import { languages } from '../../../kit/values/language.ts'
import { paymentMethod } from '../../../commerce/payments/method.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import { orderBump } from '../../../tenancy/stores/orderbump.ts'
import { shippingRate } from '../../../tenancy/stores/shippingrate.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import type { PageContext } from '../../framework/screen.ts'
import { nameOfLanguage } from '../../../platform/pages/language.ts'
import { settingsForm } from '../../framework/settingsform.ts'
import { translationLinks, translationScreens } from '../../framework/translations.ts'

const path = '/shop/languages'

export const languageScreen = settingsForm({
  path,
  title: 'languages',
  section: 'shop',
  nav: {},
  api: '/store',
  before: ({ t, store, language, base }) =>
    html`<p>${t('own_language', {
      language: nameOfLanguage(language, ownLanguage(store)),
    })} <a class="main" href="${base}/settings/store">${t('change')}</a></p>`,
  inputs: [
    {
      name: 'languages',
      label: 'languages_offered',
      hint: 'languages_hint',
      as: 'boxes',
      options: ({ language, store }) =>
        languages
          .filter((other) => other !== ownLanguage(store))
          .map((other) => [other, nameOfLanguage(language, other)]),
    },
  ],
  after: (context) => translationLinks(context, path),
})

// prettier-ignore
export const shopTextScreens = translationScreens({
  path,
  api: '/store/translations',
  section: 'shop',
  within: { path, title: 'languages' },
  texts: [
    { name: 'store_title', label: 'store_title' },
    { name: 'description', label: 'store_description', as: 'area' },
    { name: 'announcement', label: 'announcement' },
    { name: 'hero_title', label: 'hero_title' },
    { name: 'hero_text', label: 'hero_text', as: 'area', rows: 3 },
  ],
  async own(context) {
    const [store, look] = await Promise.all([
      read(context, endpoint('GET /store')),
      read(context, endpoint('GET /store/appearance')),
    ])
    return { ...store.data, ...look.data }
  },
  termsOf: listShopTerms,
})

async function listShopTerms(context: PageContext): Promise<string[]> {
  const [menus, rates, methods, bumps] = await Promise.all([
    read(context, endpoint('GET /store/menus')),
    listInOrder(context, shippingRate),
    listInOrder(context, paymentMethod),
    listInOrder(context, orderBump),
  ])
  type Menus = Record<'header_menu' | 'footer_menu', { label: string }[]>
  const { header_menu, footer_menu } = menus.data as Menus
  const texts = [
    ...[...header_menu, ...footer_menu].map(({ label }) => label),
    ...rates.flatMap(({ name, description }) => [name, description]),
    ...methods.flatMap(({ name, instructions }) => [name, instructions]),
    ...bumps.flatMap(({ title, description }) => [title, description]),
  ]
  return texts.filter((text) => text !== null && text !== '') as string[]
}
