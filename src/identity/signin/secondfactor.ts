// The second factor, once the first was right: a code of the app, a passkey, or a code from paper.
import { html } from 'hono/html'
import { recordSecurityEvent, recordFailure } from '../../tenancy/audit/operations.ts'
import type { Tx } from '../../kit/database/database.ts'
import { publicId } from '../../kit/values/ids.ts'
import { hidden, input, notice } from '../../platform/pages/parts.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { deviceCookie, isAccountDevice, readDevice } from '../accounts/device.ts'
import { findFactors, type Factors } from '../accounts/factors/factors.ts'
import { useRecoveryCode } from '../accounts/factors/recovery.ts'
import { useTotp } from '../accounts/factors/totp.ts'
import { getUserAccount, hasSignedInFrom } from '../accounts/find.ts'
import { countGuess, uncountGuess, type GuessWindows } from '../accounts/guesses.ts'
import { notifyOwner } from '../accounts/letters.ts'
import { openPendingLogin, type PendingLogin } from './pendinglogin.ts'
import { open } from './login.ts'
import {
  field,
  page,
  titledCard,
  tooMany,
  type Html,
  type SignInPage,
  type PageResult,
  type SignInVisit,
} from './page.ts'
import { passkeyForm, withPasskeys } from './passkeyform.ts'
import { stranger } from '../../kit/values/actor.ts'

// prettier-ignore
export const secondFactorPages: SignInPage[] = [
  page('GET',  '/second-factor', (visit) => ask(visit)),
  page('POST', '/second-factor', enter),
]

async function ask(visit: SignInVisit, fault = '', reply: PageResult = {}): Promise<PageResult> {
  const pending = await openPendingLogin(visit)
  if (!pending) return { to: '/oauth/login' }
  const { db, say, root } = visit
  const factors = await findFactors(db, pending.userId)
  const content = html`
${fault ? notice('error', fault) : ''}
${factors.has_totp ? codeForm(visit) : html`<p>${say('second_passkey')}</p>`}
${factors.passkeys > 0 ? passkeyForm(visit, pending.location) : ''}
${recoveryForm(visit, factors)}
<p class="foot"><a href="${root}/oauth/login">${say('back_to_sign_in')}</a></p>`
  return withPasskeys(visit, { ...reply, page: titledCard(visit, say('second_title'), content) })
}

function codeForm({ say, root }: SignInVisit): Html {
  const code = { name: 'code', type: 'text', autocomplete: 'one-time-code', focus: true, mode: 'numeric' } as const
  return html`<p>${say('second_text')}</p>
<form method="post" action="${root}/oauth/second-factor">${hidden('by', 'totp')}
${input(say('code'), code)}
<button class="full">${say('sign_in')}</button>
</form>`
}

function recoveryForm({ say, root, form }: SignInVisit, { recovery_codes }: Factors): Html {
  const text = recovery_codes === 0 ? say('recovery_none') : say('recovery_text')
  const code = { name: 'code', type: 'text', autocomplete: 'off' } as const
  const isOpen = field(form, 'by') === 'recovery_code'
  return html`<details${isOpen ? html` open` : ''}><summary>${say('recovery_use')}</summary><p>${text}</p>
${
  recovery_codes === 0
    ? ''
    : html`<form method="post" action="${root}/oauth/second-factor">${hidden('by', 'recovery_code')}
${input(say('recovery_code'), { ...code, id: 'recovery' })}
<button class="full quiet">${say('sign_in')}</button></form>`
}</details>`
}

async function enter(visit: SignInVisit): Promise<PageResult> {
  const { db, say, form } = visit
  const pending = await openPendingLogin(visit)
  if (!pending) return { to: '/oauth/login' }
  const windows = await listCodeGuessWindows(visit, pending.userId)
  const refusal = await countGuess(visit, windows, slot)
  if (refusal) return ask(visit, say('too_many', { seconds: refusal.waitSeconds }), tooMany(refusal.waitSeconds))
  const by = field(form, 'by') === 'recovery_code' ? 'recovery_code' : 'totp'
  const reply = await db.transaction(async (tx) => {
    const isRight = await check(tx, visit, pending, by)
    return isRight ? open(tx, visit, pending.userId, { how: pending.how, second: by }, pending.location) : null
  })
  if (!reply) {
    recordWrongCode(visit, pending)
    return ask(visit, say(by === 'totp' ? 'code_wrong' : 'recovery_wrong'), { status: 401 })
  }
  await uncountGuess(visit, windows, slot)
  return reply
}

async function check(
  tx: Tx,
  visit: SignInVisit,
  { userId }: PendingLogin,
  by: 'totp' | 'recovery_code',
): Promise<boolean> {
  const { vault, form, ip, userAgent, language } = visit
  const code = field(form, 'code')
  if (by === 'totp') return useTotp(tx, vault, userId, code)
  const remaining = await useRecoveryCode(tx, userId, code)
  if (remaining === null) return false
  const id = publicId('usr', userId)
  recordSecurityEvent(tx, {
    event: 'recovery_code_used',
    actor: { kind: 'user', id, ip, userAgent },
    subject: id,
    details: { left: remaining },
  })
  const { email } = await getUserAccount(tx, userId)
  notifyOwner(tx, { email, language }, 'recovery_code_used', { left: remaining })
  return true
}

// Wrong codes for one account. Anyone who gets here has the password or the email, so the owner's own browser
// is counted apart: a thief's guesses do not block it. Three codes of a million count at a time:
// 770 guesses a day by all strangers together are right once in a year and more.
// prettier-ignore
const wrong = {
  ofDevice:       { count: 20, windowSeconds: 15 * 60 },
  ofAllStrangers: { count: 20, windowSeconds: 3600 },
}

/** Beyond a limit, one try in each of these. */
const slot = { count: 1, windowSeconds: 5 * 60 }

async function listCodeGuessWindows(
  { db, vault, cookies, siteUrl, ip }: SignInVisit,
  userId: string,
): Promise<GuessWindows> {
  const device = readDevice(vault, cookies[deviceCookie(siteUrl)])
  const account = await getUserAccount(db, userId)
  if (isAccountDevice(device, account)) return [[`device:${device.id}:code`, wrong.ofDevice]]
  const isFamiliar = await hasSignedInFrom(db, userId, addressBlock(ip))
  return isFamiliar
    ? [[`account:${userId}:code:${addressBlock(ip)}`, wrong.ofDevice]]
    : [[`account:${userId}:code`, wrong.ofAllStrangers]]
}

/** Not awaited. */
function recordWrongCode({ db, limiter, ip, userAgent }: SignInVisit, { userId }: PendingLogin): void {
  void recordFailure(db, limiter, {
    event: 'second_factor_failed',
    actor: stranger({ ip, userAgent }),
    subject: publicId('usr', userId),
  })
}
