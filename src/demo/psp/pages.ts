// What a shopper sees at the provider: one page that asks what should happen. Forms only, no script.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { staffLanguages } from '../../kit/values/language.ts'
import { exponentOf } from '../../kit/values/money.ts'
import { priceIn } from '../../kit/values/prices.ts'
import { field } from '../../platform/pages/form.ts'
import { card } from '../../platform/pages/frame.ts'
import type { Site } from '../../platform/pages/mount.ts'
import type { Html, Page, Reply, Visit } from '../../platform/pages/page.ts'
import { attributes, faultOf, aboutField } from '../../platform/pages/parts.ts'
import { refusalOf, refusalPage } from '../../platform/pages/refusal.ts'
import { newKey, webhookSecretOf, type Account } from './account.ts'
import type { Provider } from './provider.ts'
import { Refusal } from './refusal.ts'
import { approve, isOpen, type Session } from './session.ts'
import { sayIn, type Word } from './words.ts'

export function providerSite(provider: Provider): Site<Visit> {
  return {
    prefix: '',
    isSecure: provider.url.startsWith('https:'),
    languages: staffLanguages,
    rootOf: () => '',
    originsOf: () => [new URL(provider.url).origin],
    cookieOf: (name) => ({ name, path: '/', maxAge: 0 }),
    visitOf: async (_request, visit) => visit,
    refuse(error, _request, { language }) {
      const isUnknown = error instanceof Refusal && error.statusCode === 404
      const refusal: ApiError = isUnknown ? notFound('Session') : refusalOf(error)
      return { status: refusal.status, page: refusalPage(language, refusal) }
    },
    pages: pagesOf(provider),
  }
}

function pagesOf(provider: Provider): Page[] {
  const { find, change, now } = provider
  const sessionOf = ({ params }: Visit) => find(params.id!)
  const open = (visit: Visit, next: (session: Session) => Reply): Reply => {
    const session = sessionOf(visit)
    return isOpen(session) ? next(session) : { page: overPage(visit, session) }
  }
  const approved = (session: Session): Reply => {
    change(session, approve(session, now()))
    return { location: session.return_url }
  }
  const declined = (session: Session): Reply => {
    change(session, { ...session, status: 'failed' })
    return { location: session.return_url }
  }
  const outcomes: Record<string, (session: Session) => Reply> = {
    approve: approved,
    decline: declined,
    challenge: (session) => {
      change(session, { ...session, status: 'requires_action' })
      return { to: `/pay/${session.id}/challenge` }
    },
    late: (session) => {
      provider.payLate(session)
      return { location: session.return_url }
    },
  }
  const payPage = (visit: Visit) =>
    open(visit, (session) => shownTo(session, choicePage(visit, session, provider.account(session.account))))
  return [
    { method: 'GET', path: '/', run: (visit) => ({ page: homePage(visit) }) },
    { method: 'POST', path: '/', run: (visit) => ({ page: accountPage(visit, provider.account(newKey())) }) },
    { method: 'GET', path: '/pay/:id', run: payPage },
    {
      method: 'POST',
      path: '/pay/:id',
      run: (visit) => {
        const outcome = outcomes[field(visit.form, 'do')]
        return outcome ? open(visit, outcome) : payPage(visit)
      },
    },
    {
      method: 'GET',
      path: '/pay/:id/challenge',
      run: (visit) => open(visit, (session) => shownTo(session, codePage(visit, session))),
    },
    {
      method: 'POST',
      path: '/pay/:id/challenge',
      run: (visit) =>
        open(visit, (session) => {
          if (field(visit.form, 'do') === 'decline') return declined(session)
          if (field(visit.form, 'code') === '1234') return approved(session)
          return { status: 422, ...shownTo(session, codePage(visit, session, { isWrong: true })) }
        }),
    },
  ]
}

/** The form's answer leads back to the shop: Chromium holds form-action against redirects, too. */
function shownTo({ return_url }: Session, page: Html): Reply {
  return { page, formTo: [new URL(return_url).origin] }
}

function choicePage(visit: Visit, session: Session, { name }: Account): Html {
  const { language } = visit
  const say = sayIn(language)
  const price = priceIn(language, { currency: session.currency, country_code: 'US' })
  const act = (what: Word, looks: string) =>
    html`<p><button class="${looks}" name="do" value="${what}">${say(what)}</button></p>`
  const title = say('pay', { name })
  return card(
    language,
    title,
    html`
<p class="brand">${say('brand')}</p>
<p class="notice warning" role="note">${say('no_money')}</p>
<h1>${title}</h1>
${session.description === name ? '' : html`<p>${session.description}</p>`}
<p class="host">${price(session.amount / 10 ** exponentOf(session.currency))}</p>
<form method="post" action="/pay/${session.id}">
<fieldset><legend>${say('choose')}</legend>
${act('approve', 'full')}
${act('challenge', 'full quiet')}
${act('late', 'full quiet')}
${act('decline', 'full quiet')}
</fieldset>
</form>
<p class="foot"><a href="${session.cancel_url}">${say('close')}</a></p>`,
  )
}

function codePage({ language }: Visit, { id }: Session, { isWrong = false } = {}): Html {
  const say = sayIn(language)
  const fault = isWrong ? say('code_wrong') : undefined
  const typed = { id: 'code', name: 'code', inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 10 }
  return card(
    language,
    say('code_title'),
    html`
<p class="brand">${say('brand')}</p>
<h1>${say('code_title')}</h1>
<p>${say('code_text')}</p>
<form method="post" action="/pay/${id}/challenge">
<p class="field"><label for="code">${say('code')}</label>
<input${attributes(typed)}${aboutField('code', { fault, focus: true })}></p>
${faultOf('code', fault)}
<div class="pair"><button>${say('confirm')}</button>
<button class="quiet" name="do" value="decline">${say('decline')}</button></div>
</form>`,
  )
}

function overPage({ language }: Visit, { status, return_url }: Session): Html {
  const say = sayIn(language)
  return card(
    language,
    say('over'),
    html`
<p class="brand">${say('brand')}</p>
<h1>${say('over')}</h1>
<p>${say('over_text', { status: say(status as Word) })}</p>
<p><a class="button" href="${return_url}">${say('back')}</a></p>`,
  )
}

function homePage({ language }: Visit): Html {
  const say = sayIn(language)
  return card(
    language,
    say('brand'),
    html`
<h1>${say('brand')}</h1>
<p>${say('home_text')} ${say('no_money')}</p>
<form method="post" action="/"><button>${say('open')}</button></form>`,
  )
}

function accountPage({ language }: Visit, account: Account): Html {
  const say = sayIn(language)
  const secret = (word: Word, text: string) => html`<dt>${say(word)}</dt><dd><code>${text}</code></dd>`
  return card(
    language,
    say('opened'),
    html`
<p class="brand">${say('brand')}</p>
<h1>${say('opened')}</h1>
<dl>${secret('api_key', account.key)}${secret('webhook_secret', webhookSecretOf(account))}</dl>
<p>${say('webhook_url')}</p>`,
  )
}
