// Signing in by a passkey alone, or by one as the second factor.
import { html } from 'hono/html'
import { signInOptions, usePasskey } from '../accounts/factors/ceremony.ts'
import { addressBlock } from '../../platform/ratelimit/addressblock.ts'
import { waitSeconds } from '../../platform/ratelimit/ratelimit.ts'
import { openPendingLogin } from './pendinglogin.ts'
import { open, returnPath } from './login.ts'
import { field, message, page, tooMany, type SignInPage, type PageResult, type SignInVisit } from './page.ts'

// prettier-ignore
export const passkeyPages: SignInPage[] = [
  page('GET',  '/passkey/options', options),
  page('POST', '/passkey',         enter),
]

const answersOfAddress = { count: 60, windowSeconds: 60 }

async function options({ db, siteUrl, vault }: SignInVisit): Promise<PageResult> {
  return { json: JSON.stringify(await signInOptions({ siteUrl, vault }, db.clock.now())) }
}

/** As a second factor, the passkey must belong to the same person, and leads to the page of the password login. */
async function enter(visit: SignInVisit): Promise<PageResult> {
  const { db, limiter, siteUrl, vault, form, ip, say } = visit
  const hit = await limiter.hit(`passkey:${addressBlock(ip)}`, answersOfAddress.count, answersOfAddress)
  if (!hit.allowed) {
    const seconds = waitSeconds(hit, db.clock.now(), answersOfAddress.windowSeconds)
    return errorReply(visit, say('too_many', { seconds }), tooMany(seconds))
  }
  const pending = await openPendingLogin(visit)
  return db.transaction(async (tx) => {
    const userId = await usePasskey(tx, { siteUrl, vault }, field(form, 'answer'))
    if (!userId || (pending && pending.userId !== userId))
      return errorReply(visit, say('passkey_wrong'), { status: 401 })
    const proof = pending ? ({ how: pending.how, second: 'passkey' } as const) : ({ how: 'passkey' } as const)
    return open(tx, visit, userId, proof, pending?.location ?? returnPath(visit, field(form, 'return_to')))
  })
}

function errorReply(visit: SignInVisit, text: string, reply: PageResult): PageResult {
  const { say, root } = visit
  const back = html`<p><a class="button" href="${root}/oauth/login">${say('back_to_sign_in')}</a></p>`
  return { ...reply, page: message(visit, say('error_title'), text, back) }
}
