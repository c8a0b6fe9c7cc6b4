// A person's own account: name, address, password, and the factors beside it.
import { json } from '../../../kit/declare/route.ts'
import { email, text } from '../../../kit/declare/scalars.ts'
import { createBody, patchBody } from '../../../kit/declare/shape.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { findFactors } from '../../accounts/factors/factors.ts'
import { listPasskeys } from '../../accounts/factors/passkey.ts'
import { hashPassword } from '../../accounts/password.ts'
import { requireGoodPassword } from '../../accounts/passwordrules.ts'
import { requestEmailChange, changePassword, findPendingAddress, rename } from '../../accounts/profile.ts'
import { user } from '../../accounts/user.ts'
import {
  act,
  anybody,
  done,
  doneSchema,
  flag,
  get,
  lately,
  buildListSchema,
  moment,
  patch,
  record,
  words,
  type PortalRoute,
} from '../portal.ts'

const none = { type: ['string', 'null'] }
const passkey = record('Passkey', {
  id: words,
  name: words,
  is_synced: { ...flag, description: 'Whether the passkey is synced to other devices' },
  created_at: moment,
  last_used_at: { ...moment, type: ['string', 'null'] },
})
const account = record('Account', {
  id: words,
  email: words,
  name: none,
  new_email: { ...none, description: 'New email address awaiting confirmation; null if none' },
  has_totp: { ...flag, description: 'Whether an authenticator app is set up' },
  passkeys: buildListSchema(passkey),
  recovery_codes: { type: 'integer', description: 'Number of unused recovery codes' },
})

const changes = patchBody({ name: user.fields.name })
const newAddress = createBody({ email: email().required() })
const newPassword = createBody({ password: text({ max: 1000 }).required().describe('Current password') })

export const accountRoutes: PortalRoute[] = [
  get('/account', {
    ...anybody,
    summary: 'Get your account and sign-in methods',
    returns: account,
    run: async ({ db, session }) => {
      const { user_id, email, name } = session
      const [factors, passkeys, new_email] = await Promise.all([
        findFactors(db, user_id),
        listPasskeys(db, user_id),
        findPendingAddress(db, user_id),
      ])
      return json({ id: publicId('usr', user_id), email, name, new_email, ...factors, passkeys })
    },
  }),
  patch('/account', {
    ...anybody,
    operationId: 'updateAccount',
    summary: 'Update your name',
    body: changes,
    returns: doneSchema,
    run: async ({ tx, session, body }) => {
      if (body.name !== undefined) await rename(tx, session.user_id, body.name)
      return done
    },
  }),
  act('/account/email', {
    ...lately,
    operationId: 'changeEmail',
    summary: 'Change your email (takes effect after confirmation)',
    body: newAddress,
    returns: doneSchema,
    run: async ({ tx, session, actor, language, body, vault, limiter }) => {
      await requestEmailChange(tx, { vault, limiter }, session, { email: body.email, actor, language })
      return done
    },
  }),
  act('/account/password', {
    ...lately,
    operationId: 'changePassword',
    summary: 'Change your password and end other sessions',
    isConfidential: true,
    body: newPassword,
    returns: doneSchema,
    async prepare({ session, body }) {
      const { email, stores } = session
      await requireGoodPassword(body.password, { email, stores: stores.flatMap(({ name, slug }) => [name, slug]) })
      return hashPassword(body.password)
    },
    run: async ({ tx, session, actor, language, prepared }) => {
      await changePassword(tx, session, prepared, { actor, language })
      return done
    },
  }),
]
