// The routes of shoppers: the products, the checkout, and the content of a custom shop.
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { derive } from '../kit/declare/field.ts'
import { page } from '../kit/declare/page.ts'
import { notFoundResponse } from '../kit/declare/errorresponse.ts'
import { resource, type Json } from '../kit/declare/resource.ts'
import { buildRouteVerbs, noAddress, type Route, type RouteTable } from '../kit/declare/route.ts'
import { flag } from '../kit/declare/scalars.ts'
import { notFound } from '../kit/values/errors.ts'
import { languageFilter } from '../commerce/catalog/public.ts'
import { guardMessages } from '../storefront/checkout/cart/guard.ts'
import {
  checkoutRoutes,
  language,
  languageIn,
  storefrontScope as scope,
  type ShopperDeps,
} from '../storefront/checkout/routes.ts'
import { newEnquiry, queueEnquiry, takesEnquiries } from '../tenancy/emails/enquiry.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { storefrontUnavailable } from '../tenancy/stores/storefront.ts'
import { inLanguages } from '../tenancy/stores/translations.ts'
import { appearance } from '../storefront/branding/appearance.ts'
import { findMenus, menus } from '../storefront/branding/menu.ts'
import { isSlug, pageTranslations, storePage } from '../storefront/branding/storepage.ts'

const { get, post } = buildRouteVerbs<Store, ShopperDeps>('Storefront')

const publicAppearance = resource(
  'stores',
  {
    ...appearance.fields,
    takes_messages: derive(flag(), takesEnquiries).describe('Whether the store accepts messages from visitors'),
  },
  {},
  { noun: 'Appearance', title: 'Storefront appearance' },
)

const { kind, title, slug, body, seo_title, seo_description, created_at, updated_at } = storePage.fields

const publicPage = resource(
  'pages',
  { kind, title, slug, body, seo_title, seo_description, created_at, updated_at },
  { ...storePage.filters, lang: languageFilter },
  { noun: 'Page', title: 'Storefront page', defaultSort: 'created_at', defaultOrder: 'asc' },
)
const pageIn = inLanguages(publicPage, pageTranslations)

function pagesFor(store: Store, query: { lang?: unknown }) {
  const translation = languageIn(store, query.lang)
  return translation ? pageIn(translation) : publicPage
}

const schema = { type: 'object', properties: { received: { type: 'boolean', const: true } }, required: ['received'] }

export const storefrontRoutes: Route<Store, ShopperDeps>[] = [
  ...checkoutRoutes,
  get('/appearance', {
    scope,
    returns: publicAppearance.entity,
    summary: "Get the online store's appearance and contact details",
    run: ({ db, store }) => findPublicAppearance(db, store),
  }),
  get('/menus', {
    scope,
    returns: menus.entity,
    summary: "Get the online store's menus",
    run: ({ db, store }) => findMenus(db, store),
  }),
  get('/pages', {
    scope,
    query: publicPage.query,
    returns: publicPage.entity,
    list: true,
    summary: 'List published pages and policies',
    run: ({ db, store, query }) => page(db, pagesFor(store, query), store, query, sql`pages.is_published`),
  }),
  get('/pages/{page}', {
    scope,
    words: { page: { description: 'Slug of the page', example: 'about-us' } },
    query: language,
    returns: publicPage.entity,
    summary: 'Get a page or policy',
    run: ({ db, store, params, query }) =>
      findPublicPage(db, store, (params as { page: string }).page, pagesFor(store, query)),
  }),
  post('/messages', {
    scope,
    guard: guardMessages,
    body: newEnquiry,
    returns: schema,
    makesRecord: false,
    operationId: 'sendStorefrontMessage',
    summary: 'Send a message to the merchant',
    run: async ({ tx, store, body }) => {
      if (!(await queueEnquiry(tx, store, body))) throw notFound('Recipient')
      return noAddress({ received: true })
    },
  }),
]

async function findPublicAppearance(db: Db, { id }: Store): Promise<Json<object>> {
  const [row] = await db.texts(sql`
    select ${publicAppearance.columns}
    from stores
    where id = ${id}`)
  return publicAppearance.serialise(row!)
}

async function findPublicPage(
  db: Db,
  { id }: Store,
  name: string,
  translatedPage: typeof publicPage,
): Promise<Json<object>> {
  const ofSlug = sql`
    select ${translatedPage.columns}
    from pages
    where store_id = ${id}
      and slug = ${name}
      and is_published`
  const [row] = isSlug(name) ? await db.texts(ofSlug) : []
  if (!row) throw notFound('Page')
  return translatedPage.serialise(row)
}

/** Shoppers need no credential; their largest cart is a tenth of the largest body. */
export const storefront: RouteTable = {
  prefix: '/storefront/{slug}',
  words: { slug: { description: 'Slug of the store', example: 'harbour-and-pine' } },
  routes: storefrontRoutes,
  isPublic: true,
  maxBodyBytes: 64 * 1024,
  refuses: [notFoundResponse, storefrontUnavailable],
}
