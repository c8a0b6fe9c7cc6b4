// All screens, in the order of the navigation.
import { categories } from './categories/categories.ts'
import { customers } from './customers/customers.ts'
import { deliveries, deliveryScreen } from './webhooks/deliveries.ts'
import { discounts } from './discounts/discounts.ts'
import { home } from './home/home.ts'
import { keys } from './keys/keys.ts'
import { tellPlaces } from './navigation.ts'
import { orderScreen } from './orders/order.ts'
import { orders } from './orders/orders.ts'
import { products } from './products/products.ts'
import type { Screen } from './page.ts'
import { settings } from './settings/settings.ts'
import { webhooks, webhookScreen } from './webhooks/webhooks.ts'

export const screens: readonly Screen[] = [
  home,
  orders,
  orderScreen,
  products,
  categories,
  customers,
  discounts,
  settings,
  keys,
  webhooks,
  webhookScreen,
  deliveries,
  deliveryScreen,
]

tellPlaces(screens)
