// The audit log's names for the records of each table, and the declarations that show them.
import type { AnyField } from '../../kit/declare/field.ts'
import type { AnyResource } from '../../kit/declare/resource.ts'
import { customRole } from '../../identity/account/role.ts'
import { apiKey } from '../../identity/apikeys/apikey.ts'
import { category } from '../../commerce/catalog/category.ts'
import { collection } from '../../commerce/catalog/collection.ts'
import { product } from '../../commerce/catalog/product.ts'
import { variant } from '../../commerce/catalog/variant.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { customerGroup } from '../../commerce/customers/groups/group.ts'
import { discount } from '../../commerce/discounts/discount.ts'
import { appearance } from '../../storefront/branding/appearance.ts'
import { menus } from '../../storefront/branding/menu.ts'
import { storePage } from '../../storefront/branding/storepage.ts'
import { redirect } from '../../storefront/redirects/redirect.ts'
import { fulfillment } from '../../commerce/fulfillments/fulfillment.ts'
import { mailSetting } from '../../storefront/letters/setting.ts'
import { media } from '../../commerce/media/media.ts'
import { orderComment } from '../../commerce/orders/comments/comment.ts'
import { draftOrder } from '../../commerce/draftorders/draftorder.ts'
import { item } from '../../commerce/orders/item.ts'
import { order } from '../../commerce/orders/order.ts'
import { refund } from '../../commerce/orders/refunds/refund.ts'
import { orderReturn, returnItem } from '../../commerce/returns/return.ts'
import { paymentMethod } from '../../money/payments/method.ts'
import { payment } from '../../money/payments/payment.ts'
import { orderBump } from '../../tenancy/stores/orderbump.ts'
import { shippingRate } from '../../tenancy/stores/shippingrate.ts'
import { store } from '../../tenancy/stores/store.ts'
import { taxZone } from '../../commerce/tax/taxzone.ts'
import { fork } from '../forks/fork.ts'
import { webhook } from '../webhooks/webhook.ts'

// prettier-ignore
const declaredNouns = {
  store:            [store, appearance, menus],
  category:         [category],
  collection:       [collection],
  product:          [product],
  variant:          [variant],
  customer:         [customer],
  customer_group:   [customerGroup],
  discount:         [discount],
  order:            [order],
  order_item:       [item],
  order_comment:    [orderComment],
  draft_order:      [draftOrder],
  fulfillment:      [fulfillment],
  refund:           [refund],
  return:           [orderReturn],
  payment:          [payment],
  payment_method:   [paymentMethod],
  shipping_rate:    [shippingRate],
  order_bump:       [orderBump],
  tax_zone:         [taxZone],
  page:             [storePage],
  redirect:         [redirect],
  picture:          [media],
  mail_setting:     [mailSetting],
  webhook:          [webhook],
  api_key:          [apiKey],
  role:             [customRole],
  fork:             [fork],
} satisfies Record<string, AnyResource[]>

type Noun = { table: string; name: string; fields: Record<string, AnyField>; prefix: AnyResource['prefix'] }

/** Rows that are a part of another record, or have no endpoint. */
// prettier-ignore
const otherNouns: Noun[] = [
  { table: 'members',           name: 'member',           fields: {}, prefix: 'usr' },
  { table: 'product_slugs',     name: 'product_slug',     fields: {}, prefix: null },
  { table: 'category_slugs',    name: 'category_slug',    fields: {}, prefix: null },
  { table: 'collection_slugs',  name: 'collection_slug',  fields: {}, prefix: null },
  { table: 'collection_products', name: 'collection_product', fields: {}, prefix: 'prod' },
  { table: 'app_policies',      name: 'app_policy',       fields: {}, prefix: null },
  { table: 'fulfillment_items', name: 'fulfillment_item', fields: {}, prefix: 'item' },
  { table: 'return_items',      name: 'return_item',      fields: returnItem.fields, prefix: 'item' },
  { table: 'refund_items',      name: 'refund_item',      fields: {}, prefix: 'item' },
]

const nouns: Noun[] = [
  ...Object.entries(declaredNouns).map(([name, resources]: [string, AnyResource[]]) => {
    const [{ table, prefix }] = resources as [AnyResource]
    return { table, name, prefix, fields: Object.assign({}, ...resources.map(({ fields }) => fields)) }
  }),
  ...otherNouns,
]

export const nounNames = nouns.map(({ name }) => name)

// Scopes that read each noun. Nouns not listed are settings of the store.
// prettier-ignore
const ofScopes: Record<string, string[]> = {
  products:   ['product', 'variant', 'product_slug', 'picture', 'collection', 'collection_slug', 'collection_product'],
  categories: ['category', 'category_slug'],
  customers:  ['customer', 'customer_group'],
  discounts:  ['discount'],
  orders:     ['order', 'order_item', 'order_comment', 'fulfillment', 'fulfillment_item', 'refund', 'refund_item',
    'payment', 'draft_order', 'return', 'return_item'],
  webhooks:   ['webhook'],
}

/** The noun in `read:` and `write:` scopes that cover such a record. */
export function scopeNounOf(name: string): string {
  return Object.keys(ofScopes).find((noun) => ofScopes[noun]!.includes(name)) ?? 'store'
}

export function nounOf(table: string): Noun {
  return nouns.find((noun) => noun.table === table) ?? { table, name: table, fields: {}, prefix: null }
}

export function tableOf(name: string): string | undefined {
  return nouns.find((noun) => noun.name === name)?.table
}
