import { buildRouteVerbs } from '../../kit/declare/route.ts'
import { settingRoutes } from '../../tenancy/stores/setting.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { translationRoutes, unknownLanguages } from '../../tenancy/stores/translations.ts'
import { appearance, changeAppearance, findAppearance } from './appearance.ts'
import { changeMenus, findMenus, menus } from './menu.ts'
import { findShopTexts, shopTranslations, translateShop } from './shoptexts.ts'
import { pageTranslations, pagesChanged, storePages } from './storepage.ts'

const { get, patch } = buildRouteVerbs<Store>('Store')

export const routes = [
  get('/store/appearance', {
    scope: 'read:store',
    returns: appearance.entity,
    summary: "Get the online store's appearance and contact details",
    run: ({ db, store }) => findAppearance(db, store),
  }),
  patch('/store/appearance', {
    scope: 'write:store',
    body: appearance.patch,
    returns: appearance.entity,
    summary: "Update the online store's appearance and contact details",
    run: ({ tx, store, body }) => changeAppearance(tx, store, body),
  }),
  get('/store/menus', {
    scope: 'read:store',
    returns: menus.entity,
    summary: "Get the online store's menus",
    run: ({ db, store }) => findMenus(db, store),
  }),
  patch('/store/menus', {
    scope: 'write:store',
    body: menus.patch,
    returns: menus.entity,
    summary: "Update the online store's menus",
    run: ({ tx, store, body }) => changeMenus(tx, store, body),
  }),
  get('/store/translations', {
    scope: 'read:store',
    returns: shopTranslations.all.entity,
    summary: "Get the online store's translations",
    run: ({ db, store }) => findShopTexts(db, store),
  }),
  patch('/store/translations', {
    scope: 'write:store',
    body: shopTranslations.changes,
    outside: async (body) => unknownLanguages(body),
    returns: shopTranslations.all.entity,
    summary: "Update the online store's translations",
    run: ({ tx, store, body }) => translateShop(tx, store, body),
  }),
  ...settingRoutes(storePages),
  ...translationRoutes(
    pageTranslations,
    { tag: 'Store', path: '/pages', read: 'read:store', write: 'write:store' },
    pagesChanged,
  ),
]
