// The pages of customer accounts.
import { saveAddress, showAddress, showAddresses } from './addresses.ts'
import { showAccount } from './orders.ts'
import { changePasskeys, enterByPasskey, newPasskeyOptions, passkeyOptions } from './passkeys.ts'
import { downloadData, saveProfile, showProfile, signOut } from './profile.ts'
import { askForCode, enterByLink, enterCode, sendSignIn, showLink } from './signin.ts'
import type { ShopPage } from '../frame/page.ts'

// prettier-ignore
export const accountPages: ShopPage[] = [
  { method: 'GET',  path: '/account',                    run: showAccount },
  { method: 'POST', path: '/account',                    run: sendSignIn },
  { method: 'GET',  path: '/account/sign-in',            run: askForCode },
  { method: 'POST', path: '/account/sign-in',            run: enterCode },
  { method: 'GET',  path: '/account/sign-in/:link',      run: showLink },
  { method: 'POST', path: '/account/sign-in/:link',      run: enterByLink },
  { method: 'GET',  path: '/account/passkey/options',    run: passkeyOptions },
  { method: 'POST', path: '/account/passkey',            run: enterByPasskey },
  { method: 'POST', path: '/account/sign-out',           run: signOut },
  { method: 'GET',  path: '/account/addresses',          run: showAddresses },
  { method: 'GET',  path: '/account/addresses/:address', run: showAddress },
  { method: 'POST', path: '/account/addresses/:address', run: saveAddress },
  { method: 'GET',  path: '/account/profile',            run: showProfile },
  { method: 'POST', path: '/account/profile',            run: saveProfile },
  { method: 'GET',  path: '/account/passkeys/options',   run: newPasskeyOptions },
  { method: 'POST', path: '/account/passkeys',           run: changePasskeys },
  { method: 'GET',  path: '/account/data.json',          run: downloadData },
]
