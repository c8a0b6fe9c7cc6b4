// The pages of signing in.
import { addressPages } from './address.ts'
import { invitationPages } from './invitation.ts'
import { linkPages } from './link.ts'
import { loginPages } from './login.ts'
import { passkeyPages } from './passkey.ts'
import { resetPages } from './reset.ts'
import { secondFactorPages } from './secondfactor.ts'

export const signInPages = [
  ...loginPages,
  ...passkeyPages,
  ...secondFactorPages,
  ...resetPages,
  ...linkPages,
  ...invitationPages,
  ...addressPages,
]
