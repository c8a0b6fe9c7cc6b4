// All screens, in the order of the navigation.
import { tellPlaces } from './frame.ts'
import { categories } from './categories.ts'
import { customers } from './customers.ts'
import { deliveries, deliveryScreen } from './deliveries.ts'
import { discounts } from './discounts.ts'
import { home } from './home.ts'
import { keys } from './keys.ts'
import { orderScreen } from './order.ts'
import { orders } from './orders.ts'
import { products } from './products.ts'
import { sections, type Screen } from './page.ts'
import { settings } from './settings.ts'
import { webhooks, webhookScreen } from './webhooks.ts'

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
