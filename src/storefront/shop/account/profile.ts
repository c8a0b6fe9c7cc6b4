// The profile of a signed-in shopper: contact, passkeys, personal data, sign-out and deletion.
import { html } from 'hono/html'
import { customer } from '../../../commerce/customers/customer.ts'
import { confirmContact, updateCustomer } from '../../../commerce/customers/operations.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { aboutField, attributes, choice, renderFieldFault } from '../../../platform/pages/parts.ts'
import { endSession, endSessions } from '../../accounts/session.ts'
import { fieldErrors } from '../frame/fielderrors.ts'
import { rows } from '../frame/formrows.ts'
import { contactPath } from '../frame/headerfooter.ts'
import { field, type Html, type ShopContext, type ShopResult } from '../frame/page.ts'
import { toShopperName } from '../frame/prefill.ts'
import { accountPath, forShopper, requireAccounts, findCurrentShopper, type ShopperContext } from '../frame/shopper.ts'
import { accountPage } from './layout.ts'
import { passkeySection } from './passkeys.ts'

const profilePath = `${accountPath}/profile`

type ProfileValues = { name: string; phone: string; accepts_marketing: boolean }

export const showProfile = forShopper(async (context) => {
  const { db, store, shopper } = context
  const { accepts_marketing } = (await findRecord(db, customer, store.id, shopper.id)).entity
  const values = { name: toShopperName(shopper) ?? '', phone: shopper.phone ?? '', accepts_marketing }
  return { page: await profile(context, values) }
})

export const saveProfile = forShopper(async (context): Promise<ShopResult> => {
  const { db, store, shopper, form } = context
  const accepts_marketing = field(form, 'accepts_marketing') !== ''
  const values = { name: field(form, 'name'), phone: field(form, 'phone'), accepts_marketing }
  try {
    const consent = { source: 'account', text: context.t('account_marketing') }
    const patch = customer.patch.read({ ...values, phone: values.phone || null, marketing_consent: consent }, store)
    await db.transaction((tx) => {
      confirmContact(tx, store.id, shopper.id)
      return updateCustomer(tx, store, shopper.id, patch)
    })
    return { to: `${profilePath}?done=saved` }
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const faults = error.faults.map((one) => ({ ...one, field: `customer.${one.field}` }))
    return { status: 422, page: await profile(context, values, fieldErrors(context, faults)) }
  }
})

async function profile(
  context: ShopperContext,
  values: ProfileValues,
  errors: Record<string, string> = {},
): Promise<Html> {
  const { t, root } = context
  const marketing = {
    type: 'checkbox',
    name: 'accepts_marketing',
    value: '1',
    checked: values.accepts_marketing,
  } as const
  const content = html`<form method="post" action="${root}${profilePath}" novalidate data-once>
${input(context, 'name', values.name, errors)}${input(context, 'phone', values.phone, errors)}
${choice(marketing, t('account_marketing'))}
<button>${t('save')}</button></form>
${await passkeySection(context)}
<section><h2>${t('account_data')}</h2><p>${t('account_data_text')}</p>
<p><a class="button quiet" href="${root}${accountPath}/data.json" download>${t('account_data_get')}</a></p>
${deletion(context)}</section>
<section><h2>${t('sign_out')}</h2><p>${t('sign_out_all_text')}</p>
<form method="post" action="${root}${accountPath}/sign-out">
<button class="quiet" name="act" value="everywhere">${t('sign_out_all')}</button></form></section>`
  return accountPage(context, { place: '/profile', content })
}

/** The merchant deletes accounts, because the law requires that some data is kept. */
function deletion({ t, root, face }: ShopperContext): Html | '' {
  if (!face.takes_enquiries) return ''
  return html`<p>${t('account_delete_text')} <a href="${root}${contactPath}">${t('contact')}</a></p>`
}

function input({ t }: ShopContext, name: 'name' | 'phone', value: string, errors: Record<string, string>): Html {
  const { label, autocomplete } = rows[`customer.${name}`]
  const fault = errors[`customer.${name}`]
  const own = {
    id: name,
    name,
    autocomplete,
    type: name === 'phone' ? 'tel' : 'text',
    value,
    maxlength: name === 'phone' ? 40 : 200,
  }
  const optional = name === 'phone' ? html` <small>${t('optional')}</small>` : ''
  return html`<p class="field"><label for="${name}">${t(label)}${optional}</label>
<input${attributes(own)}${aboutField(name, { fault, focus: fault !== undefined })}></p>${renderFieldFault(name, fault)}`
}

/** Removes the open checkout too, because it contains the shopper's contact. The cart stays. */
export async function signOut(context: ShopContext): Promise<ShopResult> {
  requireAccounts(context)
  const { db, store, cookies, form } = context
  const value = cookies.account
  const shopper = await findCurrentShopper(context)
  if (value) {
    await db.transaction(async (tx) => {
      if (shopper && field(form, 'act') === 'everywhere') endSessions(tx, store, shopper.id)
      endSession(tx, store, value)
    })
  }
  return { to: accountPath, cookies: { account: null, checkout: null, signin: null } }
}

/** The same data that the merchant can export, limited to verified contacts. */
export const downloadData = forShopper(async (context): Promise<ShopResult> => {
  const { db, store, shopper, deps } = context
  const data = await deps.exportOwnData(db, store, shopper)
  const headers = { 'content-disposition': 'attachment; filename="my-data.json"' }
  return { json: JSON.stringify({ exported_at: db.clock.now(), store: store.name, ...data }, null, 2), headers }
})
