// What somebody signs in with beside the password: an app for codes, passkeys, and codes on paper.
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
import { mark, panel } from '../../framework/parts.ts'
import type { Action, Html, Visit } from '../../framework/page.ts'
import { browserOf } from './browser.ts'

const confirmTotp: Action = {
  route: endpoint('POST /account/totp/confirm'),
  inputs: [{ name: 'code', label: 'code', as: 'code' }],
  done: 'totp_set',
  shows: codesOnce,
}

const addPasskey: Action = {
  route: endpoint('POST /account/passkeys'),
  inputs: [{ name: 'name', label: 'passkey_name', hint: 'passkey_name_hint' }],
  body: ({ form: sent }) => ({ answer: field(sent, 'answer') }),
  done: 'passkey_added',
  conflict: 'passkey_there',
  shows: codesOnce,
}

const renamePasskey: Action = {
  route: endpoint('PATCH /account/passkeys/{passkey}'),
  inputs: [{ name: 'name', label: 'name' }],
  done: 'saved',
}

export const factorActions: Record<string, Action> = {
  begin_totp: { route: endpoint('POST /account/totp'), done: 'totp_begun', conflict: 'totp_there' },
  confirm_totp: confirmTotp,
  cancel_totp: { route: endpoint('DELETE /account/totp'), done: 'totp_cancelled' },
  remove_totp: {
    route: endpoint('DELETE /account/totp'),
    ask: { title: 'totp_remove_ask', text: 'totp_remove_text', button: 'factor_remove' },
    done: 'totp_removed',
  },
  add_passkey: addPasskey,
  rename_passkey: renamePasskey,
  remove_passkey: {
    route: endpoint('DELETE /account/passkeys/{passkey}'),
    ask: { title: 'passkey_remove_ask', text: 'passkey_remove_text', button: 'factor_remove' },
    done: 'passkey_removed',
  },
  codes: {
    route: endpoint('POST /account/recovery-codes'),
    ask: { title: 'codes_ask', text: 'codes_text', button: 'codes_make' },
    done: 'saved',
    shows: codesOnce,
  },
}

/** `mayChange`: whoever it is has proven it within the hour. */
export async function factorPanels(visit: Visit, mayChange: boolean): Promise<Html> {
  const { say, session, allStores } = visit
  const factors = await findFactors(allStores, session.user_id)
  const isOn = asksForSecond(factors)
  const content = html`<p>${isOn ? mark(say('second_on'), 'good') : mark(say('second_off'), 'warn')}
${say(isOn ? 'second_on_text' : 'second_off_text')}</p>
${await passkeys(visit, mayChange)}
${await app(visit, factors, mayChange)}
${isOn ? codes(visit, factors, mayChange) : ''}`
  return panel(say('second_factor'), html`<div class="stack">${content}</div>`)
}

async function passkeys(visit: Visit, mayChange: boolean): Promise<Html> {
  const { say, allStores, session, tools, root, userAgent } = visit
  const all = await listPasskeys(allStores, session.user_id)
  const rows = await Promise.all(all.map((passkey) => passkeyRow(visit, passkey, mayChange)))
  const drawn = await form(visit, {
    act: 'add_passkey',
    action: addPasskey,
    button: 'passkey_add',
    values: { name: browserOf(userAgent) },
    more: hidden('answer', ''),
  })
  const adding = html`<noscript><p class="hint">${say('passkey_script')}</p></noscript>
<passkey-maker hidden options="${root}/oauth/portal/api/account/passkeys/options">
<details class="more"${visit.refused?.act === 'add_passkey' ? html` open` : ''}><summary>${say('passkey_add')}</summary>
${drawn}<p class="fault" role="alert" hidden>${say('passkey_not_made')}</p></details></passkey-maker>`
  const ways = hasPasskeys(tools.siteUrl)
    ? mayChange
      ? adding
      : ''
    : html`<p class="hint">${say('passkey_nowhere')}</p>`
  return html`<h3>${say('passkeys')}</h3><p class="hint">${say('passkeys_text')}</p>
<ul class="rows" aria-label="${say('passkeys')}">${rows}</ul>${ways}`
}

async function passkeyRow(visit: Visit, { id, name, ...passkey }: Passkey, mayChange: boolean): Promise<Html> {
  const { say, when } = visit
  const { created_at, last_used_at, is_synced } = passkey
  const fixed = { passkey: id, label: name }
  const about = [
    `${say('created_at')}: ${when(created_at)}`,
    `${say('last_used')}: ${last_used_at ? when(last_used_at) : say('never_used')}`,
    ...(is_synced ? [say('passkey_synced')] : []),
  ]
  const renaming = { act: 'rename_passkey', action: renamePasskey, button: 'save', fixed, isQuiet: true } as const
  const ways = html`<details class="more"><summary>${say('actions')}<span class="hidden"> ${name}</span></summary>
${await form(visit, { ...renaming, values: { name } })}
${button(visit, { act: 'remove_passkey', fixed, text: 'factor_remove', kind: 'quiet danger' })}</details>`
  return html`<li><div><p><strong>${name}</strong></p><p class="hint">${about.join(' · ')}</p></div>
${mayChange ? ways : ''}</li>`
}

async function app(visit: Visit, { has_totp }: Factors, mayChange: boolean): Promise<Html> {
  const { say, allStores, session, tools } = visit
  const { user_id: userId, email } = session
  const issuer = new URL(tools.siteUrl).host
  const pending = has_totp ? null : await findPendingTotp(allStores, tools.vault, { userId, email, issuer })
  const state = has_totp ? mark(say('totp_on'), 'good') : ''
  const removing = button(visit, { act: 'remove_totp', text: 'factor_remove', kind: 'quiet danger' })
  const ways = has_totp
    ? removing
    : pending
      ? await setup(visit, pending)
      : button(visit, { act: 'begin_totp', text: 'totp_begin' })
  return html`<h3>${say('totp')} ${state}</h3><p class="hint">${say('totp_text')}</p>${mayChange ? ways : ''}`
}

async function setup(visit: Visit, { secret, uri }: PendingTotp): Promise<Html> {
  const { say } = visit
  const confirming = await form(visit, { act: 'confirm_totp', action: confirmTotp, button: 'totp_confirm' })
  return html`<ol class="numbered"><li><p>${say('totp_scan')}</p>
<div class="qr" role="img" aria-label="${say('totp_qr')}">${raw(renderSVG(uri, { border: 2 }))}</div>
<details class="more"><summary>${say('totp_by_hand')}</summary>
<copy-text label="${say('copy')}" done="${say('copied')}"><code>${secret}</code></copy-text></details></li>
<li><p>${say('totp_type')}</p>${confirming}</li></ol>
${button(visit, { act: 'cancel_totp', text: 'cancel_form' })}`
}

function codes(visit: Visit, { recovery_codes: left }: Factors, mayChange: boolean): Html {
  const { say } = visit
  return html`<h3>${say('recovery_codes')} ${mark(say('codes_left', { left }), left > 3 ? 'good' : 'warn')}</h3>
<p class="hint">${say('recovery_codes_text')}</p>
${mayChange ? button(visit, { act: 'codes', text: 'codes_make' }) : ''}`
}

function codesOnce({ say, base }: Visit, { recovery_codes }: { recovery_codes: string[] | null }): Html | null {
  if (!recovery_codes) return null
  return html`<div class="panel"><h2>${say('codes_made')}</h2><p>${say('codes_once')}</p>
<copy-text class="secret" label="${say('copy')}" done="${say('copied')}"><code class="codes">${recovery_codes.join(
    '\n',
  )}</code></copy-text>
<p><a class="button" href="${base}/settings/security">${say('codes_kept')}</a></p></div>`
}
