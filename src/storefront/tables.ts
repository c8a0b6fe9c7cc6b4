// The tables of checkouts, the shop and its emails.
import { sql } from '../kit/database/sql.ts'
import { pick, withoutPersonal } from '../kit/declare/row.ts'
import { eachLanguage } from '../kit/values/language.ts'
import { publicId } from '../kit/values/ids.ts'
import { checkoutFieldChanges, configurableFields, updateCheckoutFields } from '../tenancy/stores/checkoutfields.ts'
import { updateStore } from '../tenancy/stores/operations.ts'
import { store as stores } from '../tenancy/stores/store.ts'
import { undoSetting } from '../tenancy/tables/setting.ts'
import { readAt, table, undoBy, type Erase, type UndoCall, type UndoValues } from '../tenancy/tables/table.ts'
import { appearance, changeAppearance } from './branding/appearance.ts'
import { changeMenus, menus } from './branding/menu.ts'
import { storePage, storePages } from './branding/storepage.ts'
import { checkout } from './checkout/checkout.ts'
import { sealContext } from './checkout/link.ts'
import { changeMailSetting, requireMailKind, mailSetting, mailSettingChanges } from './letters/setting.ts'
import { createRedirect, deleteRedirect, updateRedirect } from './redirects/operations.ts'
import { redirect } from './redirects/redirect.ts'

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

const usualFields = Object.fromEntries(Object.entries(configurableFields).map(([name, { usually }]) => [name, usually]))

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

export const redirects = table(redirect, {
  counters: { redirects: '' },
  audit: {
    noun: 'redirect',
    undo: undoBy(redirect, { create: createRedirect, update: updateRedirect, remove: deleteRedirect }),
  },
})

function changeMail(
  { tx, store }: UndoCall,
  kind: string,
  { words, kind: _, ...values }: UndoValues,
): Promise<unknown> {
  const own = words as UndoValues | undefined
  const patch = { ...values, ...(own ? eachLanguage((language) => own[language] ?? null) : {}) }
  return changeMailSetting(tx, store, requireMailKind(kind), mailSettingChanges.read(patch, readAt(tx, store)))
}

/** Without a row the default texts apply. */
async function removeMailSetting(call: UndoCall, kind: string): Promise<void> {
  await changeMail(call, kind, { is_active: true, words: {} })
  call.tx.later(sql`
    delete from mail_settings
    where store_id = ${call.store.id}
      and kind = ${kind}`)
}

export const mailSettings = table(mailSetting, {
  audit: {
    noun: 'mail_setting',
    undo: {
      key: 'kind',
      change: changeMail,
      remove: removeMailSetting,
      restore: (call, _past, before) => changeMail(call, String(before.kind), before),
    },
  },
})

/** Stops later emails. */
const eraseCheckouts: Erase = (tx, storeId, { checkoutIds }) =>
  tx.later(sql`
    update checkouts
    set ${withoutPersonal(checkout.fields)},
        recovery_mail = case recovery_mail when 'queued' then 'withheld' else recovery_mail end
    where store_id = ${storeId}
      and id = any(${checkoutIds}::uuid[])`)

// Links of shoppers open only the original's checkouts.
export const checkouts = table(checkout, {
  audit: 'what shoppers type; an order is made of it, which is told',
  erasure: eraseCheckouts,
  replaced: ({ buyer, unknownHash }) => ({
    ...buyer,
    token: 'null',
    token_hash: unknownHash,
    recovery_hash: 'null',
    recovery_mail: `case when recovery_mail = 'queued' then 'withheld' else recovery_mail end`,
  }),
  sealed: {
    columns: ['token'],
    context: (row) => sealContext(row.store_id!, publicId('chk', row.id!)),
    blank: 'null',
    without: { token: 'null' },
  },
})

/** Links and codes that were requested with one of their emails. */
const eraseSignIns: Erase = (tx, storeId, { emails }) =>
  tx.later(sql`
    delete from shopper_sign_ins
    where store_id = ${storeId}
      and lower(email) = any(${emails.map(({ value }) => value)}::text[])`)

export const shopperSignIns = table('shopper_sign_ins', {
  audit: 'how customers sign in to the shop',
  stays: 'links and codes, valid for minutes, that the key of the installation signs',
  erasure: eraseSignIns,
})
