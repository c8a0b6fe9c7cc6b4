// Second factors: authenticator app, passkeys and recovery codes.
import { html, raw } from 'hono/html'
import { renderSVG } from 'uqr'
import { field } from '../../../platform/pages/form.ts'
import { hidden } from '../../../platform/pages/parts.ts'
import { hasPasskeys } from '../../../identity/accounts/factors/ceremony.ts'
import { asksForSecond, findFactors, type Factors } from '../../../identity/accounts/factors/factors.ts'
import { listPasskeys, type Passkey } from '../../../identity/accounts/factors/passkey.ts'
import { findPendingTotp, type PendingTotp } from '../../../identity/accounts/factors/totp.ts'
import { endpoint } from '../../framework/api.ts'
import { button, form } from '../../framework/form.ts'
import { mark, panel, recordActions } from '../../framework/parts.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { formatBrowser } from './browser.ts'

const confirmTotp: ScreenAction = {
  route: endpoint('POST /account/totp/confirm'),
  inputs: [{ name: 'code', label: 'code', as: 'code' }],
  done: 'totp_set',
  renderResult: newCodesPanel,
}

const addPasskey: ScreenAction = {
  route: endpoint('POST /account/passkeys'),
  inputs: [{ name: 'name', label: 'passkey_name', hint: 'passkey_name_hint' }],
  body: ({ form: input }) => ({ answer: field(input, 'answer') }),
  done: 'passkey_added',
  conflict: 'passkey_there',
  renderResult: newCodesPanel,
}

const renamePasskey: ScreenAction = {
  route: endpoint('PATCH /account/passkeys/{passkey}'),
  inputs: [{ name: 'name', label: 'name' }],
  done: 'saved',
}

export const factorActions: Record<string, ScreenAction> = {
  begin_totp: { route: endpoint('POST /account/totp'), done: 'totp_begun', conflict: 'totp_there' },
  confirm_totp: confirmTotp,
  cancel_totp: { route: endpoint('DELETE /account/totp'), done: 'totp_cancelled' },
  remove_totp: {
    route: endpoint('DELETE /account/totp'),
    confirm: { title: 'totp_remove_ask', text: 'totp_remove_text', button: 'factor_remove' },
    done: 'totp_removed',
  },
  add_passkey: addPasskey,
  rename_passkey: renamePasskey,
  remove_passkey: {
    route: endpoint('DELETE /account/passkeys/{passkey}'),
    confirm: { title: 'passkey_remove_ask', text: 'passkey_remove_text', button: 'factor_remove' },
    done: 'passkey_removed',
  },
  codes: {
    route: endpoint('POST /account/recovery-codes'),
    confirm: { title: 'codes_ask', text: 'codes_text', button: 'codes_make' },
    done: 'saved',
    renderResult: newCodesPanel,
  },
}

/** `mayChange` is true if the person signed in within the last hour. */
export async function factorPanels(context: PageContext, mayChange: boolean): Promise<Html> {
  const { t, session, allStores } = context
  const factors = await findFactors(allStores, session.user_id)
  const isOn = asksForSecond(factors)
  const content = html`<p>${isOn ? mark(t('second_on'), 'good') : mark(t('second_off'), 'warn')}
${t(isOn ? 'second_on_text' : 'second_off_text')}</p>
${await passkeys(context, mayChange)}
${await app(context, factors, mayChange)}
${isOn ? codes(context, factors, mayChange) : ''}`
  return panel(t('second_factor'), html`<div class="stack">${content}</div>`)
}

async function passkeys(context: PageContext, mayChange: boolean): Promise<Html> {
  const { t, allStores, session, deps, root, userAgent } = context
  const all = await listPasskeys(allStores, session.user_id)
  const rows = await Promise.all(all.map((passkey) => passkeyRow(context, passkey, mayChange)))
  const formHtml = await form(context, {
    act: 'add_passkey',
    action: addPasskey,
    button: 'passkey_add',
    values: { name: formatBrowser(userAgent) },
    more: hidden('answer', ''),
  })
  const addPanel = html`<noscript><p class="hint">${t('passkey_script')}</p></noscript>
<passkey-maker hidden options="${root}/oauth/portal/api/account/passkeys/options">
<details class="more"${context.rejection?.act === 'add_passkey' ? html` open` : ''}>
<summary>${t('passkey_add')}</summary>
${formHtml}<p class="fault" role="alert" hidden>${t('passkey_not_made')}</p></details></passkey-maker>`
  const action = hasPasskeys(deps.siteUrl)
    ? mayChange
      ? addPanel
      : ''
    : html`<p class="hint">${t('passkey_nowhere')}</p>`
  return html`<h3>${t('passkeys')}</h3><p class="hint">${t('passkeys_text')}</p>
<ul class="rows" aria-label="${t('passkeys')}">${rows}</ul>${action}`
}

async function passkeyRow(context: PageContext, { id, name, ...passkey }: Passkey, mayChange: boolean): Promise<Html> {
  const { t, formatTime } = context
  const { created_at, last_used_at, is_synced } = passkey
  const fixed = { passkey: id, label: name }
  const about = [
    `${t('created_at')}: ${formatTime(created_at)}`,
    `${t('last_used')}: ${last_used_at ? formatTime(last_used_at) : t('never_used')}`,
    ...(is_synced ? [t('passkey_synced')] : []),
  ]
  const renameForm = { act: 'rename_passkey', action: renamePasskey, button: 'save', fixed, isQuiet: true } as const
  const actions = html`${await form(context, { ...renameForm, values: { name } })}
${button(context, { act: 'remove_passkey', fixed, text: 'factor_remove', kind: 'quiet danger' })}`
  return html`<li><div><p><strong>${name}</strong></p><p class="hint">${about.join(' · ')}</p></div>
${mayChange ? recordActions(t, name, actions) : ''}</li>`
}

async function app(context: PageContext, { has_totp }: Factors, mayChange: boolean): Promise<Html> {
  const { t, allStores, session, deps } = context
  const { user_id: userId, email } = session
  const issuer = new URL(deps.siteUrl).host
  const pending = has_totp ? null : await findPendingTotp(allStores, deps.vault, { userId, email, issuer })
  const state = has_totp ? mark(t('totp_on'), 'good') : ''
  const removeButton = button(context, { act: 'remove_totp', text: 'factor_remove', kind: 'quiet danger' })
  const action = has_totp
    ? removeButton
    : pending
      ? await setup(context, pending)
      : button(context, { act: 'begin_totp', text: 'totp_begin' })
  return html`<h3>${t('totp')} ${state}</h3><p class="hint">${t('totp_text')}</p>${mayChange ? action : ''}`
}

async function setup(context: PageContext, { secret, uri }: PendingTotp): Promise<Html> {
  const { t } = context
  const confirmForm = await form(context, { act: 'confirm_totp', action: confirmTotp, button: 'totp_confirm' })
  return html`<ol class="numbered"><li><p>${t('totp_scan')}</p>
<div class="qr" role="img" aria-label="${t('totp_qr')}">${raw(renderSVG(uri, { border: 2 }))}</div>
<details class="more"><summary>${t('totp_by_hand')}</summary>
<copy-text label="${t('copy')}" done="${t('copied')}"><code>${secret}</code></copy-text></details></li>
<li><p>${t('totp_type')}</p>${confirmForm}</li></ol>
${button(context, { act: 'cancel_totp', text: 'cancel_form' })}`
}

function codes(context: PageContext, { recovery_codes: count }: Factors, mayChange: boolean): Html {
  const { t } = context
  return html`<h3>${t('recovery_codes')} ${mark(t('codes_left', { left: count }), count > 3 ? 'good' : 'warn')}</h3>
<p class="hint">${t('recovery_codes_text')}</p>
${mayChange ? button(context, { act: 'codes', text: 'codes_make' }) : ''}`
}

function newCodesPanel({ t, base }: PageContext, { recovery_codes }: { recovery_codes: string[] | null }): Html | null {
  if (!recovery_codes) return null
  return html`<div class="panel"><h2>${t('codes_made')}</h2><p>${t('codes_once')}</p>
<copy-text class="secret" label="${t('copy')}" done="${t('copied')}"><code class="codes">${recovery_codes.join(
    '\n',
  )}</code></copy-text>
<p><a class="button" href="${base}/settings/security">${t('codes_kept')}</a></p></div>`
}
