// Passkeys of a signed-in shopper, and signing in with one. Their library is loaded at the first use.
import { html } from 'hono/html'
import {
  hasPasskeys,
  newKeyOptions,
  readNewKey,
  signInOptions,
  usePasskey,
} from '../../../identity/accounts/factors/ceremony.ts'
import type { Ceremony } from '../../../identity/accounts/factors/ceremony.ts'
import { assetPath } from '../../../platform/pages/assets.ts'
import { hidden, notice } from '../../../platform/pages/parts.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { addPasskey, buildPasskeyStore, listPasskeys, maxPasskeys, removePasskey } from '../../accounts/passkeys.ts'
import { openSession } from '../../accounts/session.ts'
import { findEmail } from '../../accounts/signin.ts'
import { buildSiteUrl } from '../checkout/pay.ts'
import { dateIn } from '../checkout/countries.ts'
import { field, type Html, type ShopContext, type ShopResult } from '../frame/page.ts'
import { toShopperName } from '../frame/prefill.ts'
import { accountPath, forShopper, requireAccounts, type ShopperContext } from '../frame/shopper.ts'
import { assets, note } from '../frame/view.ts'
import { enter } from './signin.ts'

const profilePath = `${accountPath}/profile`

function buildCeremony(context: ShopContext): Ceremony {
  const { store, offer, deps } = context
  return {
    siteUrl: buildSiteUrl(context),
    vault: deps.vault,
    keys: buildPasskeyStore(store),
    name: offer.store_title ?? store.name,
  }
}

function requirePasskeys(context: ShopContext): void {
  requireAccounts(context)
  if (!hasPasskeys(buildSiteUrl(context))) throw notFound('Page')
}

export async function passkeySection(context: ShopperContext): Promise<Html | ''> {
  if (!hasPasskeys(buildSiteUrl(context))) return ''
  const { db, store, shopper, t, root, language } = context
  const keys = await listPasskeys(db, store, shopper)
  const items = keys.map(
    ({ id, name, created_at }) => html`<li><span>${name}</span>
<span class="soft">${dateIn(language, store, created_at)}</span>
<form method="post" action="${root}${accountPath}/passkeys">${hidden('id', id)}
<button class="link" name="act" value="remove">${t('remove')}<span class="hidden">: ${name}</span></button>
</form></li>`,
  )
  const add = html`<passkey-form hidden options="${root}${accountPath}/passkeys/options" kind="create">
<form method="post" action="${root}${accountPath}/passkeys">${hidden('answer', '')}
<p class="field"><label for="passkey-name">${t('passkey_name')}</label>
<input id="passkey-name" name="name" maxlength="60" autocomplete="off" value="${t('passkey_name_usual')}"></p>
<button class="quiet">${t('passkey_add')}</button></form>
<p class="fault" role="alert" hidden>${t('passkey_failed')}</p></passkey-form>
<noscript><p class="soft">${t('passkey_script')}</p></noscript>
<script type="module" src="${assetPath('passkey.js', assets)}"></script>`
  return html`<section><h2>${t('passkeys')}</h2><p>${t('passkeys_text')}</p>
${context.query.passkey === 'failed' ? notice('error', t('passkey_failed')) : ''}
${keys.length > 0 ? html`<ul class="records">${items}</ul>` : ''}
${keys.length < maxPasskeys ? add : ''}</section>`
}

export const newPasskeyOptions = forShopper(async (context) => {
  requirePasskeys(context)
  const { db, shopper } = context
  const owner = { userId: shopper.id, email: shopper.email, name: toShopperName(shopper) }
  return { json: JSON.stringify(await newKeyOptions(db, buildCeremony(context), owner)) }
})

export const changePasskeys = forShopper(async (context): Promise<ShopResult> => {
  requirePasskeys(context)
  const { db, store, shopper, form, t } = context
  if (field(form, 'act') === 'remove') {
    await db.transaction((tx) => removePasskey(tx, store, shopper, field(form, 'id')))
    return { to: `${profilePath}?done=removed` }
  }
  const name = field(form, 'name').trim().slice(0, 60) || t('passkey_name_usual')
  const isAdded = await db.transaction(async (tx) => {
    const key = await readNewKey(tx, buildCeremony(context), shopper.id, field(form, 'answer'))
    if (key) await addPasskey(tx, store, shopper, { ...key, name })
    return key !== null
  })
  return { to: `${profilePath}?${isAdded ? 'done=added' : 'passkey=failed'}` }
})

export async function passkeyOptions(context: ShopContext): Promise<ShopResult> {
  requirePasskeys(context)
  return { json: JSON.stringify(await signInOptions(buildCeremony(context), context.db.clock.now())) }
}

export async function enterByPasskey(context: ShopContext): Promise<ShopResult> {
  requirePasskeys(context)
  const { db, store, form, guard } = context
  await guard.proveShopper()
  const session = await db.transaction(async (tx) => {
    const customerId = await usePasskey(tx, buildCeremony(context), field(form, 'answer'))
    const email = customerId && (await findEmail(tx, store, customerId))
    return customerId && email ? openSession(tx, store, { customerId, email }) : null
  })
  if (!session) return renderRefusal(context)
  return enter(context, { session, destination: field(form, 'next') === 'checkout' ? 'checkout' : null })
}

function renderRefusal(context: ShopContext): ShopResult {
  const { t, root } = context
  const more = html`<p><a class="button" href="${root}${accountPath}">${t('sign_in')}</a></p>`
  return { status: 401, page: note(context, { title: t('sign_in'), text: t('passkey_none'), more }) }
}
