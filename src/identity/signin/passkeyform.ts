// The button that signs in by a passkey. It needs a script, which shows it.
import { html } from 'hono/html'
import { hasPasskeys } from '../accounts/factors/ceremony.ts'
import { assetPath, loadAssets } from '../../platform/pages/assets.ts'
import { hidden } from '../../platform/pages/parts.ts'
import type { Html, PageResult, SignInVisit } from './page.ts'

export const assets = loadAssets(new URL('assets/', import.meta.url))

/** `location` is the target of the form. */
export function passkeyForm({ say, root, siteUrl }: SignInVisit, location: string): Html | '' {
  if (!hasPasskeys(siteUrl)) return ''
  return html`<passkey-button hidden options="${root}/oauth/passkey/options">
<form method="post" action="${root}/oauth/passkey">${hidden('return_to', location)}${hidden('answer', '')}
<button class="full quiet">${say('passkey_use')}</button></form>
<p class="fault" role="alert" hidden>${say('passkey_none')}</p>
</passkey-button>
<script type="module" src="${assetPath('passkey.ts', assets)}"></script>`
}

/** Allows the scripts that the form needs. */
export function withPasskeys({ siteUrl }: SignInVisit, reply: PageResult): PageResult {
  return hasPasskeys(siteUrl) ? { ...reply, scripts: true } : reply
}
