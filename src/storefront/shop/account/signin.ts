// Signing in to the shop: asks for an email, then for its link or code. The pages are the same for every email.
import { html } from 'hono/html'
import { hasPasskeys } from '../../../identity/accounts/factors/ceremony.ts'
import { email } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { equalSecrets, randomBase62 } from '../../../kit/values/secrets.ts'
import { assetPath } from '../../../platform/pages/assets.ts'
import { hidden, input } from '../../../platform/pages/parts.ts'
import {
  findByBrowser,
  findByLink,
  isCustomer,
  signKnownBrowser,
  requestSignIn,
  useCode,
  useLink,
  type ShopperSignIn,
} from '../../accounts/signin.ts'
import { findShopper } from '../../accounts/session.ts'
import { buildSiteUrl } from '../checkout/pay.ts'
import { field, type Html, type ShopContext, type ShopResult } from '../frame/page.ts'
import { fillCheckout } from '../frame/prefill.ts'
import { accountPath, requireAccounts } from '../frame/shopper.ts'
import { assets, frame, note } from '../frame/view.ts'

const signInPath = `${accountPath}/sign-in`

/** True if it leads back to the checkout. */
const isForCheckout = ({ query, form }: ShopContext) => [query.next, field(form, 'next')].includes('checkout')

export function signInPage(context: ShopContext, { typed = '', fault }: { typed?: string; fault?: string } = {}): Html {
  const { t, root } = context
  const field = { name: 'email', type: 'email', autocomplete: 'email', value: typed } as const
  return frame(context, {
    title: t('sign_in'),
    content: html`<div class="ask"><h1>${t('sign_in')}</h1>
<p>${t('sign_in_text')}</p>
<form method="post" action="${root}${accountPath}" novalidate data-once>
${isForCheckout(context) ? hidden('next', 'checkout') : ''}
${input(t('email'), { ...field, ...(fault ? { fault, focus: true } : {}) })}
<button class="full">${t('sign_in_send')}</button></form>
${passkeyForm(context)}
<p class="soft">${t('sign_in_guest')} <a href="${root}/find-order">${t('find_order')}</a></p></div>`,
  })
}

/** A script shows it in browsers with passkeys. */
function passkeyForm(context: ShopContext): Html | '' {
  const { t, root } = context
  if (!hasPasskeys(buildSiteUrl(context))) return ''
  return html`<passkey-form hidden options="${root}${accountPath}/passkey/options" kind="get">
<form method="post" action="${root}${accountPath}/passkey">
${isForCheckout(context) ? hidden('next', 'checkout') : ''}${hidden('answer', '')}
<button class="full quiet">${t('passkey_use')}</button></form>
<p class="fault" role="alert" hidden>${t('passkey_none')}</p></passkey-form>
<script type="module" src="${assetPath('passkey.js', assets)}"></script>`
}

export async function sendSignIn(context: ShopContext): Promise<ShopResult> {
  requireAccounts(context)
  const { db, store, deps, language, guard, cookies, t } = context
  const input = field(context.form, 'email').trim().slice(0, 254)
  if (!isEmail(input, store)) {
    return { status: 422, page: signInPage(context, { typed: input, fault: t('email_wrong') }) }
  }
  const browserMark = signKnownBrowser(deps.vault, store.id, input)
  const isMailed = await guard.signIn({
    storeId: store.id,
    email: input,
    knownBrowser: cookies.known && equalSecrets(cookies.known, browserMark) ? browserMark : null,
    isCustomer: () => isCustomer(db, store.id, input),
  })
  const browser = randomBase62(43)
  const destination = isForCheckout(context) ? 'checkout' : null
  await db.transaction(async (tx) =>
    requestSignIn(tx, store, deps.vault, { email: input, language, destination, browser, isMailed }),
  )
  return { to: signInPath, cookies: { signin: browser } }
}

const address = createBody({ email: email().required() })

function isEmail(input: string, store: ShopContext['store']): boolean {
  try {
    address.read({ email: input }, store)
    return true
  } catch {
    return false
  }
}

export async function askForCode(context: ShopContext): Promise<ShopResult> {
  requireAccounts(context)
  const { db, store, cookies } = context
  const pending = cookies.signin ? await findByBrowser(db, store, cookies.signin) : undefined
  return pending ? { page: codePage(context, pending.email) } : { to: accountPath }
}

function codePage(context: ShopContext, email: string, fault?: string): Html {
  const { t, root } = context
  const code = { name: 'code', type: 'text', mode: 'numeric', autocomplete: 'one-time-code' } as const
  return frame(context, {
    title: t('sign_in_sent'),
    content: html`<div class="ask"><h1>${t('sign_in_sent')}</h1>
<p>${t('sign_in_sent_text', { email })}</p>
<form method="post" action="${root}${signInPath}" novalidate data-once>
${input(t('sign_in_code'), { ...code, fault, focus: fault !== undefined })}
<button class="full">${t('sign_in')}</button></form>
<p><a href="${root}${accountPath}">${t('sign_in_again')}</a></p></div>`,
  })
}

export async function enterCode(context: ShopContext): Promise<ShopResult> {
  requireAccounts(context)
  const { db, store, deps, cookies, guard, t } = context
  const browser = cookies.signin
  const pending = browser ? await findByBrowser(db, store, browser) : undefined
  if (!browser || !pending) return answerExpired(context)
  await guard.proveShopper()
  const code = field(context.form, 'code').replaceAll(/\D/g, '').slice(0, 6)
  const result = await db.transaction((tx) => useCode(tx, store, deps.vault, { browser, code }))
  if ('session' in result) return enter(context, result)
  if (result.left === 0) return answerExpired(context)
  return { status: 422, page: codePage(context, pending.email, t('sign_in_code_wrong', { count: result.left })) }
}

/** Only shows a button, so that programs that follow links in emails do not use the link up. */
export async function showLink(context: ShopContext): Promise<ShopResult> {
  requireAccounts(context)
  const { db, store, params, t, root, offer } = context
  const pending = await findByLink(db, store, params.link!)
  if (!pending) return answerExpired(context)
  const title = t('sign_in_to', { store: offer.store_title ?? store.name })
  const button = html`<form method="post" action="${root}${signInPath}/${params.link!}" data-once>
<button>${t('sign_in')}</button></form>`
  return { page: note(context, { title, text: t('sign_in_as', { email: pending.email }), more: button }) }
}

export async function enterByLink(context: ShopContext): Promise<ShopResult> {
  requireAccounts(context)
  const { db, store, params } = context
  const result = await db.transaction((tx) => useLink(tx, store, params.link!))
  return result ? enter(context, result) : answerExpired(context)
}

function answerExpired(context: ShopContext): ShopResult {
  const { t, root } = context
  const more = html`<p><a class="button" href="${root}${accountPath}">${t('sign_in')}</a></p>`
  const page = note(context, { title: t('sign_in_over'), text: t('sign_in_over_text'), more })
  return { status: 410, page, cookies: { signin: null } }
}

/** Always opens a new session, regardless of the browser's old cookie. */
export async function enter(
  context: ShopContext,
  { session, destination }: Omit<ShopperSignIn, 'customerId'>,
): Promise<ShopResult> {
  const { db, store, deps } = context
  const shopper = await findShopper(db, store, session, db.clock.now())
  if (shopper) await fillCheckout(context, shopper)
  const to = destination === 'checkout' ? '/checkout' : accountPath
  const browserMark: Record<string, string> = shopper
    ? { known: signKnownBrowser(deps.vault, store.id, shopper.email) }
    : {}
  // Who has a tax ID sees prices without tax until they choose otherwise.
  const tax: Record<string, string> =
    context.taxView.canSwitch && shopper?.is_business && !context.cookies.tax ? { tax: 'excluded' } : {}
  return { to, cookies: { account: session, signin: null, ...browserMark, ...tax } }
}
