// The portal's pages.
import { accountPages } from './account.ts'
import { appPages } from './apps.ts'
import { clientPages } from './clients.ts'
import { grantedPages } from './granted.ts'
import { homePages } from './home.ts'
import { requestPages } from './requests.ts'
import { teamPages } from './team.ts'

export const portalPages = [
  ...homePages,
  ...clientPages,
  ...appPages,
  ...teamPages,
  ...requestPages,
  ...accountPages,
  ...grantedPages,
]
