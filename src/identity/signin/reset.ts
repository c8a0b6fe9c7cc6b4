// A new password, by a link to the account's own address.
import { setTimeout as sleep } from 'node:timers/promises'
import { html } from 'hono/html'
import { publicId } from '../../kit/values/ids.ts'
import { input, notice } from '../../platform/pages/parts.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { waitSeconds } from '../../platform/ratelimit/ratelimit.ts'
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import { findAccount } from '../accounts/find.ts'
import { findLinkOwner, isLinkAlive, makeLink, setPassword, useLink } from '../accounts/links.ts'
import { mailLink, notifyOwner } from '../accounts/letters.ts'
import { hashPassword } from '../accounts/password.ts'
import { passwordFault } from '../accounts/passwordrules.ts'
import {
  field,
  message,
  page,
  secret,
  titledCard,
  tooMany,
  type SignInPage,
  type PageResult,
  type SignInVisit,
} from './page.ts'
import { newPassword } from './password.ts'
import { signIn } from './login.ts'
import { deadLink } from './link.ts'
import { stranger } from '../../kit/values/actor.ts'
import { userActor } from '../accounts/user.ts'

// prettier-ignore
export const resetPages: SignInPage[] = [
  page('GET',  '/reset',       async (visit) => askReset(visit)),
  page('POST', '/reset',       sendReset),
  page('GET',  '/reset/:link', (visit) => showReset(visit)),
  page('POST', '/reset/:link', saveReset),
]

function askReset(visit: SignInVisit, waitSeconds?: number): PageResult {
  const { say, root } = visit
  return {
    ...(waitSeconds ? tooMany(waitSeconds) : {}),
    page: titledCard(
      visit,
      say('reset_ask'),
      html`
${waitSeconds ? notice('error', say('too_many', { seconds: waitSeconds })) : ''}
<p>${say('reset_hint')}</p>
<form method="post" action="${root}/oauth/reset">
${input(say('email'), { name: 'email', type: 'email', autocomplete: 'username', focus: true })}
<button class="full">${say('reset_send')}</button>
</form>
<p class="foot"><a href="${root}/oauth/login">${say('back_to_sign_in')}</a></p>`,
    ),
  }
}

// prettier-ignore
const resets = {
  ofAddress: { count: 20, windowSeconds: 3600 },
  ofAccount: { count: 3,  windowSeconds: 3600 },
}

/** Longer than it takes to queue an email. Every response waits this long, so its time reveals nothing. */
const resetAnswerMs = 100

/** Responds alike and at the same time with or without an account; an address that asks too often gets an error. */
async function sendReset(visit: SignInVisit): Promise<PageResult> {
  const { db, limiter, say, ip } = visit
  const { ofAddress } = resets
  const hit = await limiter.hit(`reset:${addressBlock(ip)}`, ofAddress.count, ofAddress)
  if (!hit.allowed) return askReset(visit, waitSeconds(hit, db.clock.now(), ofAddress.windowSeconds))
  const email = field(visit.form, 'email').trim().slice(0, 254)
  const { account } = await findAccount(db, email)
  let failure: unknown
  if (account) void queueReset(visit, account).catch((error: unknown) => (failure = error))
  await sleep(resetAnswerMs)
  if (failure) throw failure
  return { page: message(visit, say('reset_sent'), say('reset_sent_text', { email })) }
}

/** Sends to the account's stored address: the typed one may only resemble it. */
async function queueReset(visit: SignInVisit, { id, email }: { id: string; email: string }): Promise<void> {
  const { db, limiter, vault, language, ip, userAgent } = visit
  const { ofAccount } = resets
  // Only an account has its own window: input of strangers creates no name.
  if (!(await limiter.hit(`account:${id}:reset`, ofAccount.count, ofAccount)).allowed) return
  await db.transaction(async (tx) => {
    recordSecurityEvent(tx, {
      event: 'password_reset_asked',
      actor: stranger({ ip, userAgent }),
      subject: publicId('usr', id),
    })
    await mailLink(tx, vault, { email, language }, { kind: 'password_reset' }, (value) =>
      makeLink(tx, id, 'reset', { value }),
    )
  })
}

async function showReset(visit: SignInVisit, fault?: string): Promise<PageResult> {
  const { db, params, say, root } = visit
  if (!(await isLinkAlive(db, params.link!, 'reset'))) return deadLink(visit)
  return {
    status: fault ? 422 : 200,
    page: titledCard(
      visit,
      say('reset_title'),
      html`
${fault ? notice('error', fault) : ''}
<form method="post" action="${root}/oauth/reset/${params.link!}">
${newPassword(visit)}
<button class="full">${say('reset_save')}</button>
</form>`,
    ),
  }
}

/** Connected apps stay connected; the next page lists them. */
async function saveReset(visit: SignInVisit): Promise<PageResult> {
  const { db, params, say, root, ip, userAgent } = visit
  const owner = await findLinkOwner(db, params.link!, 'reset')
  if (!owner) return deadLink(visit)
  const password = secret(visit.form, 'password')
  const fault = await passwordFault(password, owner)
  if (fault) return showReset(visit, say(`password_${fault}`))
  const hash = await hashPassword(password)
  const userId = await db.transaction(async (tx) => {
    const id = await useLink(tx, params.link!, 'reset')
    if (!id) return undefined
    await setPassword(tx, id, hash, userActor(id, { ip, userAgent }))
    notifyOwner(tx, { email: owner.email, language: visit.language }, 'password_changed', { user_id: id })
    return id
  })
  if (!userId) return deadLink(visit)
  return signIn({ ...visit, session: null }, 'reset', userId, `${root}/dashboard?after=reset`)
}
