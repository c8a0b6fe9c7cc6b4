// The pages of signing in.
import { invitationPages } from './invitation.ts'
import { linkPages } from './link.ts'
import { loginPages } from './login.ts'
import { resetPages } from './reset.ts'

export const signInPages = [...loginPages, ...resetPages, ...linkPages, ...invitationPages]
