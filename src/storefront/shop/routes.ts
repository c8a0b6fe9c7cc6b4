// The pages of a store, below /s/{slug} or on its own domain.
import { accountPages } from './account/routes.ts'
import { changeCart, showCart } from './cart/cartpage.ts'
import { showCheckout, submitCheckout } from './checkout/checkout.ts'
import { askForOrder, sendOrderLink } from './checkout/findorder.ts'
import { sendMessage, showContact } from './contact.ts'
import { googleFeed, itemLines, productLines } from './feeds/feeds.ts'
import { categoryPaths, frontPage, home, readHome } from './catalog/home.ts'
import { shopForModels } from './feeds/llms.ts'
import { showOrder } from './checkout/order.ts'
import { cancelRequest, sendReturnRequest, showReturnForm } from './checkout/returnform.ts'
import type { ShopPage } from './frame/page.ts'
import { showPayment } from './checkout/payment.ts'
import { showDraft, submitDraft } from './checkout/paydraft.ts'
import { showOrderPayment, submitOrderPayment } from './checkout/payorder.ts'
import { addToCart, readProduct, showProduct } from './catalog/product.ts'
import { readSuggestions, suggestions } from './catalog/suggestions.ts'
import { showStorePage } from './storepage.ts'
import { askToUnsubscribe, continueHere, recover, unsubscribe } from './checkout/recovery.ts'
import { robots } from './feeds/robots.ts'
import { sitemap, sitemapPart } from './feeds/sitemap.ts'
import { contactPath } from './frame/headerfooter.ts'

// prettier-ignore
export const pages: ShopPage[] = [
  { method: 'GET',  path: '/',                     begin: readHome, run: frontPage, isCatalogue: true },
  { method: 'GET',  path: '/search',               begin: readHome, run: home, isCatalogue: true },
  { method: 'GET',  path: '/search/suggestions',   begin: readSuggestions, run: suggestions, isCatalogue: true },
  ...categoryPaths.map((path): ShopPage => ({ method: 'GET', path, begin: readHome, run: home, isCatalogue: true })),
  { method: 'GET',  path: '/collections/:collection', begin: readHome, run: home, isCatalogue: true },
  { method: 'GET',  path: '/products/:product',    begin: readProduct, run: showProduct, isCatalogue: true },
  { method: 'POST', path: '/products/:product',    run: addToCart },
  { method: 'GET',  path: '/pages/:page',          run: showStorePage, isCatalogue: true },
  { method: 'GET',  path: contactPath,             run: showContact, isCatalogue: true },
  { method: 'POST', path: contactPath,             run: sendMessage },
  { method: 'GET',  path: '/cart',                 run: showCart },
  { method: 'POST', path: '/cart',                 run: changeCart },
  { method: 'GET',  path: '/checkout',             run: showCheckout },
  { method: 'POST', path: '/checkout',             run: submitCheckout },
  { method: 'GET',  path: '/checkout/payments/:link', run: showPayment },
  { method: 'GET',  path: '/orders/:link',         run: showOrder },
  { method: 'GET',  path: '/orders/:link/pay',     run: showOrderPayment },
  { method: 'POST', path: '/orders/:link/pay',     run: submitOrderPayment },
  { method: 'GET',  path: '/pay/:link',            run: showDraft },
  { method: 'POST', path: '/pay/:link',            run: submitDraft },
  { method: 'GET',  path: '/orders/:link/return',  run: showReturnForm },
  { method: 'POST', path: '/orders/:link/return',  run: sendReturnRequest },
  { method: 'POST', path: '/orders/:link/return/cancel', run: cancelRequest },
  { method: 'GET',  path: '/find-order',           run: askForOrder },
  { method: 'POST', path: '/find-order',           run: sendOrderLink },
  ...accountPages,
  { method: 'GET',  path: '/recover/:token',       run: recover },
  { method: 'POST', path: '/recover/:token',       run: recover },
  { method: 'GET',  path: '/continue/:token',      run: continueHere },
  { method: 'POST', path: '/continue/:token',      run: continueHere },
  { method: 'GET',  path: '/unsubscribe/:token',   run: askToUnsubscribe },
  { method: 'POST', path: '/unsubscribe/:token',   run: unsubscribe, fromAnywhere: true },
  { method: 'GET',  path: '/robots.txt',           run: robots },
  { method: 'GET',  path: '/sitemap.xml',          run: sitemap },
  { method: 'GET',  path: '/sitemaps/:part',       run: sitemapPart },
  { method: 'GET',  path: '/feeds/google.xml',     run: googleFeed },
  { method: 'GET',  path: '/feeds/items.jsonl',    run: itemLines },
  { method: 'GET',  path: '/feeds/products.jsonl', run: productLines },
  { method: 'GET',  path: '/llms.txt',             run: shopForModels },
]
