// How a change of each table is undone: by the operations that make such changes, with their checks and events.
import type { Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { pick } from '../../kit/declare/row.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { eachLanguage } from '../../kit/values/language.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { createCategory, deleteCategory, updateCategory } from '../../commerce/catalog/categories.ts'
import { category } from '../../commerce/catalog/category.ts'
import { collection } from '../../commerce/catalog/collection.ts'
import { createCollection, deleteCollection, updateCollection } from '../../commerce/catalog/collections.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { deleteCustomer, updateCustomer, type CustomerDeps } from '../../commerce/customers/operations.ts'
import { customerGroup } from '../../commerce/customers/groups/group.ts'
import { createGroup, deleteGroup, updateGroup } from '../../commerce/customers/groups/operations.ts'
import { discount } from '../../commerce/discounts/discount.ts'
import { createDiscount, deleteDiscount, updateDiscount } from '../../commerce/discounts/operations.ts'
import { orderComment } from '../../commerce/orders/comments/comment.ts'
import { deleteComment, orderOfComment, updateComment } from '../../commerce/orders/comments/operations.ts'
import { draftOrder } from '../../commerce/draftorders/draftorder.ts'
import { deleteDraftOrder, updateDraftOrder } from '../../commerce/draftorders/operations.ts'
import { reopenReturn } from '../../commerce/returns/operations.ts'
import type { ReturnStatus } from '../../commerce/returns/states.ts'
import { orderChanges } from '../../commerce/orders/order.ts'
import { updateOrder } from '../../commerce/orders/operations.ts'
import { appearance, changeAppearance } from '../../storefront/branding/appearance.ts'
import { changeMenus, menus } from '../../storefront/branding/menu.ts'
import { storePages } from '../../storefront/branding/storepage.ts'
import { createRedirect, deleteRedirect, updateRedirect } from '../../storefront/redirects/operations.ts'
import { redirect } from '../../storefront/redirects/redirect.ts'
import { changeMailSetting, kindOf, mailSettingChanges } from '../../storefront/letters/setting.ts'
import { paymentMethods } from '../../money/payments/method.ts'
import { configurableFields, checkoutFieldChanges, updateCheckoutFields } from '../../tenancy/stores/checkoutfields.ts'
import { updateStore } from '../../tenancy/stores/operations.ts'
import { orderBumps } from '../../tenancy/stores/orderbump.ts'
import { createSetting, deleteSetting, updateSetting, type CheckoutSetting } from '../../tenancy/stores/setting.ts'
import { shippingRates } from '../../tenancy/stores/shippingrate.ts'
import { store as stores, type Store } from '../../tenancy/stores/store.ts'
import { taxZones } from '../../commerce/tax/taxzone.ts'

export type RevertDeps = CustomerDeps & { vault: Vault }

/** Dependencies of an undo. */
export type RevertCall = { tx: Tx; store: Store; actor: Actor; scopes: ReadonlySet<string>; tools: RevertDeps }

/** Fields as the API shows them. */
export type RevertValues = Record<string, unknown>

export type Reverter = {
  /** The column that names a record. */
  key?: string
  /** Columns that other writes move or that follow from others: neither compared nor put back. */
  follows?: readonly string[]
  /** Read-only columns that a write moves along with a field: they are put back as they were. */
  companions?: readonly string[]
  /** Read-only columns that `change` brings back. */
  moves?: readonly string[]
  /** Brings back what these fields were. */
  change(call: RevertCall, id: string, before: RevertValues): Promise<unknown>
  /** Takes back what was made. */
  remove?(call: RevertCall, id: string): Promise<unknown>
  /** Records that use it and block its removal. `own` holds the IDs of records that the same undo brings back. */
  users?(storeId: string, id: string, own: readonly string[]): Sql
  /** Brings back what was deleted; without, it is gone for good. */
  restore?(call: RevertCall, past: RecordOrigin, before: RevertValues): Promise<unknown>
}

const settings = [shippingRates, orderBumps, taxZones, paymentMethods, storePages]

/** In restore order: records come after those they refer to. */
export const reverters: Record<string, Reverter> = {
  stores: { follows: ['domain_verified'], change: changeStore },
  categories: {
    change: ({ tx, store }, id, before) => updateCategory(tx, store, id, category.patch.read(before, at(tx, store))),
    remove: ({ tx, store }, id) => deleteCategory(tx, store, id),
    users: (storeId, id, own) => sql`
      select from products
      where store_id = ${storeId}
        and category_id = ${id}
        and id <> all(${own}::uuid[])
      limit 1`,
    restore: ({ tx, store }, past, before) =>
      createCategory(tx, store, category.create.read(before, at(tx, store)), past),
  },
  collections: {
    change: ({ tx, store }, id, before) =>
      updateCollection(tx, store, id, collection.patch.read(before, at(tx, store))),
    remove: ({ tx, store }, id) => deleteCollection(tx, store, id),
    users: (storeId, id, own) => sql`
      select from collection_products
      where store_id = ${storeId}
        and collection_id = ${id}
        and product_id <> all(${own}::uuid[])
      limit 1`,
    restore: ({ tx, store }, past, before) =>
      createCollection(tx, store, collection.create.read(before, at(tx, store)), past),
  },
  discounts: {
    follows: ['current_uses'],
    change: ({ tx, store }, id, before) => updateDiscount(tx, store, id, discount.patch.read(before, at(tx, store))),
    remove: ({ tx, store }, id) => deleteDiscount(tx, store, id),
    users: (storeId, id) => sql`
      select from discounts where store_id = ${storeId} and id = ${id} and current_uses > 0`,
    restore: ({ tx, store }, past, before) =>
      createDiscount(tx, store, discount.create.read(before, at(tx, store)), {
        ...past,
        current_uses: Number(before.current_uses),
      }),
  },
  customers: {
    follows: [
      'orders_count',
      'total_spent',
      'last_order_at',
      'last_order_id',
      'last_country_code',
      'last_province_code',
    ],
    companions: ['marketing_changed_at'],
    change: ({ tx, store }, id, before) => updateCustomer(tx, store, id, customer.patch.read(before, at(tx, store))),
    remove: ({ tx, store, tools }, id) => deleteCustomer(tx, store, id, tools),
    users: (storeId, id) => sql`select from orders where store_id = ${storeId} and customer_id = ${id} limit 1`,
  },
  customer_groups: {
    change: ({ tx, store }, id, before) => updateGroup(tx, store, id, customerGroup.patch.read(before, at(tx, store))),
    remove: ({ tx, store }, id) => deleteGroup(tx, store, id),
    users: (storeId, id, own) => sql`
      (select from customers
      where store_id = ${storeId}
        and group_ids <> '{}'
        and group_ids @> array[${id}::uuid]
        and id <> all(${own}::uuid[])
      limit 1)
      union all
      (select from discounts
      where store_id = ${storeId}
        and customer_group_ids @> array[${id}::uuid]
        and id <> all(${own}::uuid[])
      limit 1)`,
    restore: ({ tx, store }, past, before) =>
      createGroup(tx, store, customerGroup.create.read(before, at(tx, store)), past),
  },
  redirects: {
    change: ({ tx, store }, id, before) => updateRedirect(tx, store, id, redirect.patch.read(before, at(tx, store))),
    remove: ({ tx, store }, id) => deleteRedirect(tx, store, id),
    restore: ({ tx, store }, past, before) =>
      createRedirect(tx, store, redirect.create.read(before, at(tx, store)), past),
  },
  // What an order has moved beside itself, such as stock and payments, stays.
  orders: {
    companions: ['archived_at'],
    change: ({ tx, store, actor }, id, before) =>
      updateOrder(tx, store, id, orderChanges.read(before, at(tx, store)), actor),
  },
  order_comments: {
    companions: ['edited_at', 'mentions'],
    change: async ({ tx, store, actor }, id, before) =>
      updateComment(
        tx,
        store,
        await orderOfComment(tx, store.id, id),
        id,
        orderComment.patch.read(before, at(tx, store)),
        actor,
      ),
    remove: async ({ tx, store, actor }, id) =>
      deleteComment(tx, store, await orderOfComment(tx, store.id, id), id, actor),
  },
  // What has arrived or was paid back stays.
  returns: {
    moves: ['status'],
    follows: ['approved_at', 'instructions', 'declined_at', 'decline_reason', 'cancelled_at', 'closed_at'],
    change: ({ tx, store }, id, { status }) => reopenReturn(tx, store, id, status as ReturnStatus),
  },
  // Its link and its order stay, and what is personal is not kept.
  draft_orders: {
    follows: [
      ...['item_count', 'subtotal', 'discount_amount', 'shipping_cost', 'tax_amount', 'included_tax', 'total'],
      ...['checkout_id', 'link_sent_at', 'link_expires_at', 'blocked_at', 'order_id', 'completed_at'],
    ],
    change: ({ tx, store }, id, before) =>
      updateDraftOrder(tx, store, id, draftOrder.patch.read(before, at(tx, store))),
    remove: ({ tx, store }, id) => deleteDraftOrder(tx, store, id),
  },
  mail_settings: {
    key: 'kind',
    change: (call, kind, before) => changeMail(call, kind, before),
    remove: removeMailSetting,
    restore: (call, _past, before) => changeMail(call, String(before.kind), before),
  },
  ...Object.fromEntries(settings.map((setting) => [setting.resource.table, settingReverter(setting)])),
}

function at(tx: Tx, store: Store) {
  return { ...store, now: tx.now }
}

function settingReverter(setting: CheckoutSetting): Reverter {
  const { create, patch } = setting.resource
  return {
    change: ({ tx, store, tools }, id, before) =>
      updateSetting(tx, store, setting, id, patch.read(before, at(tx, store)) as object, tools),
    remove: ({ tx, store }, id) => deleteSetting(tx, store, setting, id),
    restore: ({ tx, store, tools }, past, before) =>
      createSetting(tx, store, setting, create.read(before, at(tx, store)) as object, tools, past),
  }
}

/** The columns of a store are several settings, each with an operation of its own. */
async function changeStore({ tx, store }: RevertCall, _id: string, before: RevertValues): Promise<void> {
  const context = at(tx, store)
  const own = (fields: object) =>
    pick(
      before,
      Object.keys(before).filter((name) => name in fields),
    )
  const { checkout_fields } = before
  await updateStore(tx, store, stores.patch.read(own(stores.fields), context))
  await changeAppearance(tx, store, appearance.patch.read(own(appearance.fields), context))
  await changeMenus(tx, store, menus.patch.read(own(menus.fields), context))
  if (checkout_fields)
    await updateCheckoutFields(
      tx,
      store,
      checkoutFieldChanges.read({ ...defaultReverter, ...checkout_fields }, context),
    )
}

const defaultReverter = Object.fromEntries(
  Object.entries(configurableFields).map(([name, { usually }]) => [name, usually]),
)

function changeMail(
  { tx, store }: RevertCall,
  kind: string,
  { words, kind: _, ...values }: RevertValues,
): Promise<unknown> {
  const own = words as RevertValues | undefined
  const patch = { ...values, ...(own ? eachLanguage((language) => own[language] ?? null) : {}) }
  return changeMailSetting(tx, store, kindOf(kind), mailSettingChanges.read(patch, at(tx, store)))
}

/** Without a row the default texts apply. */
async function removeMailSetting(call: RevertCall, kind: string): Promise<void> {
  await changeMail(call, kind, { is_active: true, words: {} })
  call.tx.later(sql`
    delete from mail_settings
    where store_id = ${call.store.id}
      and kind = ${kind}`)
}
