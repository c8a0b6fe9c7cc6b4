// All screens, in the order of the navigation.
import { tellPlaces } from './frame.ts'
import { categories } from './categories/categories.ts'
import { customers } from './customers/customers.ts'
import { deliveries, deliveryScreen } from './webhooks/deliveries.ts'
import { discounts } from './discounts/discounts.ts'
import { home } from './home/home.ts'
import { keys } from './keys/keys.ts'
import { orderScreen } from './orders/order.ts'
import { orders } from './orders/orders.ts'
import { products } from './products/products.ts'
import { sections, type Screen } from './page.ts'
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

// A section begins with its first screen.
tellPlaces(
  Object.fromEntries(
    sections.flatMap((section) => {
      const first = screens.find((screen) => screen.section === section)
      return first ? [[section, first]] : []
    }),
  ),
)
