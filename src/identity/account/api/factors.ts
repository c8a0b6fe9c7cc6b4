// Second factors: an authenticator app, passkeys and recovery codes.
import { notFoundResponse, type ErrorResponse } from '../../../kit/declare/errorresponse.ts'
import { json, noAddress } from '../../../kit/declare/route.ts'
import { text } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { collided, conflict, invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { newKeyOptions, hasPasskeys, readNewKey } from '../../accounts/factors/ceremony.ts'
import { firstRecoveryCodes, forgetUnneededCodes } from '../../accounts/factors/factors.ts'
import { addPasskey, removePasskey, renamePasskey } from '../../accounts/factors/passkey.ts'
import { makeRecoveryCodes } from '../../accounts/factors/recovery.ts'
import { beginTotp, confirmTotp, findPendingTotp, removeTotp } from '../../accounts/factors/totp.ts'
import { notifyOwner } from '../../accounts/letters.ts'
import {
  act,
  del,
  done,
  doneSchema,
  lately,
  buildListSchema,
  readPathId,
  patch,
  post,
  record,
  words,
  type PortalRoute,
} from '../portal.ts'
import { accountFaults } from '../../accounts/errors.ts'

const code = createBody({ code: text({ min: 1, max: 20 }).required().describe('Code shown by the authenticator app') })
const passkeyName = text({ min: 1, max: 60 })
const newPasskey = createBody({
  name: passkeyName.required(),
  answer: text({ min: 1, max: 20_000 })
    .required()
    .describe('Response of the browser to the registration options, as JSON'),
})
const newName = createBody({ name: passkeyName.required() })

const setup = record(null, {
  secret: { ...words, description: 'Setup key to enter in the app' },
  uri: { ...words, description: 'otpauth URI to show as a QR code' },
})
const codesOnce = {
  type: 'object',
  properties: {
    recovery_codes: {
      ...buildListSchema(words),
      type: ['array', 'null'],
      description: 'Recovery codes, returned only once, when the first factor is added; otherwise null',
    },
  },
  required: ['recovery_codes'],
}

const thereAlready: ErrorResponse = {
  name: 'FactorConflict',
  description: 'The factor is already set up, or another request changed it at the same time.',
  examples: { app: conflict('An authenticator app is already set up'), collided: collided() },
}

export const factorRoutes: PortalRoute[] = [
  act('/account/totp', {
    ...lately,
    operationId: 'beginTotp',
    refuses: [thereAlready],
    summary: 'Start the setup of an authenticator app',
    returns: setup,
    run: async ({ tx, session, vault, siteUrl }) => {
      const { user_id: userId, email } = session
      await beginTotp(tx, vault, userId)
      return json(await findPendingTotp(tx, vault, { userId, email, issuer: new URL(siteUrl).host }))
    },
  }),
  act('/account/totp/confirm', {
    ...lately,
    operationId: 'confirmTotp',
    refuses: [notFoundResponse],
    summary: 'Confirm the setup of the authenticator app',
    body: code,
    returns: codesOnce,
    run: async ({ tx, session, actor, language, body, vault }) => {
      const { user_id, email } = session
      await confirmTotp(tx, vault, user_id, body.code, actor)
      notifyOwner(tx, { email, language }, 'authenticator_added')
      return json({ recovery_codes: await firstRecoveryCodes(tx, user_id, actor) })
    },
  }),
  del('/account/totp', {
    ...lately,
    operationId: 'removeTotp',
    refuses: [notFoundResponse],
    summary: 'Remove the authenticator app',
    returns: doneSchema,
    run: async ({ tx, session, actor, language }) => {
      const wasSet = await removeTotp(tx, session.user_id, actor)
      forgetUnneededCodes(tx, session.user_id)
      if (wasSet) notifyOwner(tx, { ...session, language }, 'authenticator_removed')
      return done
    },
  }),
  act('/account/passkeys/options', {
    ...lately,
    operationId: 'askForPasskey',
    summary: 'Get passkey registration options',
    returns: { type: 'object', description: 'PublicKeyCredentialCreationOptionsJSON' },
    run: async ({ tx, session, vault, siteUrl }) => {
      const { user_id: userId, email, name } = session
      return json(await newKeyOptions(tx, { siteUrl, vault }, { userId, email, name }))
    },
  }),
  post('/account/passkeys', {
    ...lately,
    operationId: 'addPasskey',
    refuses: [thereAlready],
    summary: 'Add a passkey',
    body: newPasskey,
    returns: codesOnce,
    makesRecord: false,
    run: async ({ tx, session, actor, language, body, vault, siteUrl }) => {
      const { user_id, email } = session
      const key = hasPasskeys(siteUrl) ? await readNewKey(tx, { siteUrl, vault }, user_id, body.answer) : null
      if (!key) throw invalid(fault('answer', accountFaults.passkey_wrong))
      await addPasskey(tx, user_id, { ...key, name: body.name }, actor)
      notifyOwner(tx, { email, language }, 'passkey_added', { name: body.name })
      return noAddress({ recovery_codes: await firstRecoveryCodes(tx, user_id, actor) })
    },
  }),
  patch('/account/passkeys/{passkey}', {
    ...lately,
    operationId: 'renamePasskey',
    refuses: [notFoundResponse],
    summary: 'Rename a passkey',
    body: newName,
    returns: doneSchema,
    run: async ({ tx, session, params, body }) =>
      renamePasskey(tx, session.user_id, readPathId(params, 'passkey'), body.name).then(() => done),
  }),
  del('/account/passkeys/{passkey}', {
    ...lately,
    operationId: 'removePasskey',
    refuses: [notFoundResponse],
    summary: 'Remove a passkey',
    returns: doneSchema,
    run: async ({ tx, session, actor, language, params }) => {
      await removePasskey(tx, session.user_id, readPathId(params, 'passkey'), actor)
      forgetUnneededCodes(tx, session.user_id)
      notifyOwner(tx, { ...session, language }, 'passkey_removed')
      return done
    },
  }),
  act('/account/recovery-codes', {
    ...lately,
    operationId: 'makeRecoveryCodes',
    summary: 'Generate new recovery codes (replaces existing ones)',
    returns: codesOnce,
    run: async ({ tx, session, actor, language }) => {
      notifyOwner(tx, { ...session, language }, 'recovery_codes_created')
      return json({ recovery_codes: await makeRecoveryCodes(tx, session.user_id, actor) })
    },
  }),
]
