// Shop > Languages: in which the shop can be read, and what it says by itself in each.
import { html } from 'hono/html'
import { entityPage } from '../../../kit/declare/page.ts'
import type { Fields } from '../../../kit/declare/field.ts'
import type { ResourceOf } from '../../../kit/declare/resource.ts'
import { languages } from '../../../kit/values/language.ts'
import { paymentMethod } from '../../../money/payments/method.ts'
import { ownLanguage } from '../../../tenancy/stores/language.ts'
import { orderBump } from '../../../tenancy/stores/orderbump.ts'
import { shippingRate } from '../../../tenancy/stores/shippingrate.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import type { Visit } from '../../framework/page.ts'
import { nameOfLanguage } from '../../framework/places.ts'
import { sheet } from '../../framework/sheet.ts'
import { translationLinks, translationScreens } from '../../framework/translations.ts'

const path = '/shop/languages'

export const languageScreen = sheet({
  path,
  title: 'languages',
  section: 'shop',
  nav: {},
  api: '/store',
  before: ({ say, store, language, base }) =>
    html`<p>${say('own_language', {
      language: nameOfLanguage(language, ownLanguage(store)),
    })} <a class="main" href="${base}/settings/store">${say('change')}</a></p>`,
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
  after: (visit) => translationLinks(visit, path),
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
  async own(visit) {
    const [store, look] = await Promise.all([
      read(visit, endpoint('GET /store')),
      read(visit, endpoint('GET /store/appearance')),
    ])
    return { ...store.data, ...look.data }
  },
  termsOf,
})

async function termsOf(visit: Visit): Promise<string[]> {
  const [menus, rates, methods, bumps] = await Promise.all([
    read(visit, endpoint('GET /store/menus')),
    all(visit, shippingRate),
    all(visit, paymentMethod),
    all(visit, orderBump),
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

async function all<F extends Fields>({ db, store }: Visit, resource: ResourceOf<F>) {
  const query = { page: 1, per_page: 100, sort: 'position', order: 'asc' } as const
  return (await entityPage(db, resource, store, query)).data
}
