import { pick } from '../../kit/declare/row.ts'
import {
  updateCheckoutFields,
  checkoutFieldChanges,
  configurableFields,
  usualMarketing,
} from '../../tenancy/stores/checkoutfields.ts'
import { updateStore } from '../../tenancy/stores/operations.ts'
import { store as stores } from '../../tenancy/stores/store.ts'
import { undoSetting } from '../../tenancy/tables/setting.ts'
import { type UndoCall, type UndoValues, readAt, table } from '../../tenancy/tables/table.ts'
import { changeAppearance, appearance } from './appearance.ts'
import { changeMenus, menus } from './menu.ts'
import { storePage, storePages } from './storepage.ts'

/** The columns of a store belong to several settings, each with its own operation. */
async function changeStore({ tx, store }: UndoCall, _id: string, before: UndoValues): Promise<void> {
  const context = readAt(tx, store)
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
    await updateCheckoutFields(tx, store, checkoutFieldChanges.read({ ...usualFields, ...checkout_fields }, context))
}

const usualLevels = Object.entries(configurableFields).map(([name, { usually }]) => [name, usually])
const usualFields = { ...Object.fromEntries(usualLevels), ...usualMarketing }

// A fork's domain would lead to the original.
export const storeTable = table([stores, appearance, menus], {
  owner: 'id',
  placement: 'reference',
  erasure: 'contacts of the merchant',
  replaced: () => ({
    reply_to_email: 'null',
    notification_email: 'null',
    custom_domain: 'null',
    domain_verified: 'false',
    test_payments: 'true',
  }),
  audit: { noun: 'store', undo: { follows: ['domain_verified'], change: changeStore } },
})

export const pages = table(storePage, { audit: { noun: 'page', undo: undoSetting(storePages) } })
