// All screens, in the order of the navigation.
import { cartScreen } from './carts/cart.ts'
import { carts } from './carts/carts.ts'
import { categories } from './categories/categories.ts'
import { categoryNew, categoryScreen, categoryTranslations } from './categories/category.ts'
import { collectionNew, collectionScreen, collectionTranslations } from './collections/collection.ts'
import { collectionOrder, collections } from './collections/collections.ts'
import { addressScreen, newAddressScreen } from './customers/addresses.ts'
import { customerScreen } from './customers/customer.ts'
import { customerGroupScreen } from './customers/group.ts'
import { customerGroups, newCustomerGroup } from './customers/groups.ts'
import { customers, newCustomer } from './customers/customers.ts'
import { customerDataScreen } from './customers/personaldata.ts'
import { mergeScreen } from './customers/merge.ts'
import { apps } from './apps/apps.ts'
import { audit } from './audit/audit.ts'
import { auditEntryScreen } from './audit/entry.ts'
import { securityEventsScreen } from './audit/securityevents.ts'
import { clients } from './clients/clients.ts'
import { deliveries, deliveryScreen } from './webhooks/deliveries.ts'
import { eventScreen } from './developer/event.ts'
import { events } from './developer/events.ts'
import { requestScreen } from './developer/request.ts'
import { proposalScreen } from './developer/proposal.ts'
import { proposals } from './developer/proposals.ts'
import { requests } from './developer/requests.ts'
import { discountScreen } from './discounts/discount.ts'
import { discounts } from './discounts/discounts.ts'
import { newDiscount } from './discounts/newdiscount.ts'
import { findScreen } from './search/search.ts'
import { notificationsScreen } from './notifications/notifications.ts'
import { withHistory } from './audit/history.ts'
import { home } from './home/home.ts'
import { backordersScreen } from './inventory/backorders.ts'
import { inventoryScreen } from './inventory/inventory.ts'
import { stockScreen } from './inventory/item.ts'
import { keys } from './keys/keys.ts'
import { draftScreen } from './orders/drafts/draft.ts'
import { drafts } from './orders/drafts/drafts.ts'
import { newDraftScreen } from './orders/drafts/newdraft.ts'
import { editOrderScreen } from './orders/editorder.ts'
import { newOrderScreen } from './orders/neworder.ts'
import { orderScreen } from './orders/order.ts'
import { fulfillScreen } from './orders/bulk/fulfill.ts'
import { orders } from './orders/orders.ts'
import { exchangeScreen } from './orders/returns/exchange.ts'
import { newReturnScreen } from './orders/returns/newreturn.ts'
import { returnScreen } from './orders/returns/return.ts'
import { returns } from './orders/returns/returns.ts'
import { pickScreens } from '../framework/picker.ts'
import { payments } from './payments/payments.ts'
import { printScreen } from './orders/print.ts'
import { pictures } from './pictures/pictures.ts'
import { bulkScreen } from './products/bulk/bulk.ts'
import { productNew, productScreen, productTranslations } from './products/product.ts'
import { products } from './products/products.ts'
import { productParts } from './products/parts.ts'
import { productStock } from './products/stockhistory.ts'
import type { Screen } from '../framework/screen.ts'
import { reportsScreen } from './reports/reports.ts'
import { agentSettings } from './settings/agents.ts'
import { bumpScreens, checkoutSettings, orderSettings, recoverySettings } from './settings/checkout.ts'
import { customFieldScreens } from './settings/customfields.ts'
import { letterScreens, mailLog, mailSettings } from './settings/mail.ts'
import { paymentScreens } from './settings/payments.ts'
import { planScreen } from './settings/plan.ts'
import { settings } from './settings/settings.ts'
import { shippingScreens } from './settings/shipping.ts'
import { tryAddressScreen } from './settings/tryaddress.ts'
import { contactSettings, storeSettings } from './settings/store.ts'
import { taxSettings, taxZoneScreens } from './settings/taxes.ts'
import { appearanceScreen } from './shop/appearance.ts'
import { domainScreen } from './shop/domain.ts'
import { languageScreen, shopTextScreens } from './shop/languages.ts'
import { menuScreen } from './shop/menus.ts'
import { newPolicyScreens, pageScreens, pageTranslationScreens, policyScreen } from './shop/pages.ts'
import { redirectScreens } from './shop/redirects.ts'
import { ownApps } from './security/apps.ts'
import { security } from './security/security.ts'
import { newRoleScreen, roleScreen, rolesScreen } from './team/roles.ts'
import { styleScreen } from './style/style.ts'
import { team } from './team/team.ts'
import { webhooks, webhookScreen } from './webhooks/webhooks.ts'
import { pages } from '../framework/pages.ts'
import { extensions } from '../../tenancy/extensions/loaded.ts'

const addedScreens: (readonly Screen[])[] = await Promise.all(
  extensions.map((extension) => extension.screens?.(pages) ?? []),
)

const all: readonly Screen[] = [
  home,
  notificationsScreen,
  reportsScreen,
  findScreen,
  orders,
  newOrderScreen,
  printScreen,
  fulfillScreen,
  drafts,
  newDraftScreen,
  draftScreen,
  orderScreen,
  editOrderScreen,
  newReturnScreen,
  returns,
  returnScreen,
  exchangeScreen,
  payments,
  products,
  productNew,
  bulkScreen,
  productScreen,
  productStock,
  productParts,
  ...productTranslations,
  categories,
  categoryNew,
  categoryScreen,
  ...categoryTranslations,
  collections,
  collectionOrder,
  collectionNew,
  collectionScreen,
  ...collectionTranslations,
  pictures,
  inventoryScreen,
  backordersScreen,
  stockScreen,
  customers,
  newCustomer,
  customerScreen,
  customerDataScreen,
  mergeScreen,
  newAddressScreen,
  addressScreen,
  customerGroups,
  newCustomerGroup,
  customerGroupScreen,
  discounts,
  newDiscount,
  discountScreen,
  carts,
  cartScreen,
  appearanceScreen,
  ...pageScreens,
  ...pageTranslationScreens,
  policyScreen,
  ...newPolicyScreens,
  menuScreen,
  ...redirectScreens,
  languageScreen,
  ...shopTextScreens,
  domainScreen,
  settings,
  storeSettings,
  contactSettings,
  ...customFieldScreens,
  planScreen,
  mailSettings,
  mailLog,
  ...letterScreens,
  checkoutSettings,
  tryAddressScreen,
  ...shippingScreens,
  ...paymentScreens,
  taxSettings,
  ...taxZoneScreens,
  ...bumpScreens,
  orderSettings,
  recoverySettings,
  agentSettings,
  keys,
  webhooks,
  webhookScreen,
  deliveries,
  deliveryScreen,
  events,
  eventScreen,
  requests,
  requestScreen,
  proposals,
  proposalScreen,
  ...addedScreens.flat(),
  ...pickScreens,
  apps,
  clients,
  team,
  rolesScreen,
  newRoleScreen,
  roleScreen,
  security,
  ownApps,
  audit,
  securityEventsScreen,
  auditEntryScreen,
  ...(process.env.NODE_ENV === 'development' ? [styleScreen] : []),
]

const byPath = new Map(all.map((screen) => [screen.path, screen]))

/** In the order of the navigation. The last screen at a path takes the place of the others. */
export const screens: readonly Screen[] = [...byPath.values()].map(withHistory)
