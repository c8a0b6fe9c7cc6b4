// The provider's pages for shoppers: they ask for the outcome of the payment. Forms only, no script.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { getCurrencyExponent } from '../../kit/values/money.ts'
import { priceIn } from '../../kit/values/prices.ts'
import { field } from '../../platform/pages/form.ts'
import { card } from '../../platform/pages/frame.ts'
import type { Site } from '../../platform/pages/mount.ts'
import type { Html, Page, PageResult, PageVisit } from '../../platform/pages/page.ts'
import { attributes, renderFieldFault, aboutField } from '../../platform/pages/parts.ts'
import { toPageError, errorPage } from '../../platform/pages/errorpage.ts'
import { newKey, deriveWebhookSecret, type SandboxAccount } from './account.ts'
import type { SandboxProvider } from './provider.ts'
import { SandboxError } from './errors.ts'
import { approve, isOpen, type SandboxSession } from './session.ts'
import { translatorFor } from '../../platform/languages/translator.ts'

// Texts of the sandbox payment provider's pages.
import sandbox from '../../../languages/en/sandbox.json' with { type: 'json' }

const sandboxTranslator = translatorFor({ sandbox })

type SandboxMessageKey = keyof typeof sandbox

export function providerSite(provider: SandboxProvider): Site<PageVisit> {
  return {
    prefix: '',
    isSecure: provider.url.startsWith('https:'),
    rootOf: () => '',
    originsOf: () => [new URL(provider.url).origin],
    cookieOf: (name) => ({ name, path: '/', maxAge: 0 }),
    visitOf: async (_request, visit) => visit,
    refuse(error, _request, { language }) {
      const isUnknown = error instanceof SandboxError && error.statusCode === 404
      const refusal: ApiError = isUnknown ? notFound('Session') : toPageError(error)
      return { status: refusal.status, page: errorPage(language, refusal) }
    },
    pages: buildSandboxPages(provider),
  }
}

function buildSandboxPages(provider: SandboxProvider): Page[] {
  const { find, change, now } = provider
  const getVisitedSession = ({ params }: PageVisit) => find(params.id!)
  const open = (visit: PageVisit, next: (session: SandboxSession) => PageResult): PageResult => {
    const session = getVisitedSession(visit)
    return isOpen(session) ? next(session) : { page: overPage(visit, session) }
  }
  const approveSession = (session: SandboxSession): PageResult => {
    change(session, approve(session, now()))
    return { location: session.return_url }
  }
  const declineSession = (session: SandboxSession): PageResult => {
    change(session, { ...session, status: 'failed' })
    return { location: session.return_url }
  }
  const outcomes: Record<string, (session: SandboxSession) => PageResult> = {
    approve: approveSession,
    wallet: approveSession,
    decline: declineSession,
    challenge: (session) => {
      change(session, { ...session, status: 'requires_action' })
      return { to: `/pay/${session.id}/challenge` }
    },
    late: (session) => {
      provider.payLate(session)
      return { location: session.return_url }
    },
  }
  const payPage = (visit: PageVisit) =>
    open(visit, (session) => redirectingPage(session, choicePage(visit, session, provider.account(session.account))))
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
      run: (visit) => open(visit, (session) => redirectingPage(session, codePage(visit, session))),
    },
    {
      method: 'POST',
      path: '/pay/:id/challenge',
      run: (visit) =>
        open(visit, (session) => {
          if (field(visit.form, 'do') === 'decline') return declineSession(session)
          if (field(visit.form, 'code') === '1234') return approveSession(session)
          return { status: 422, ...redirectingPage(session, codePage(visit, session, { isWrong: true })) }
        }),
    },
  ]
}

/** Allows the redirect back to the shop: Chromium applies form-action to redirects too. */
function redirectingPage({ return_url }: SandboxSession, page: Html): PageResult {
  return { page, formTo: [new URL(return_url).origin] }
}

function choicePage(visit: PageVisit, session: SandboxSession, { name }: SandboxAccount): Html {
  const { language } = visit
  const t = sandboxTranslator(language)
  const price = priceIn(language, { currency: session.currency, country_code: 'US' })
  const act = (what: SandboxMessageKey, looks: string) =>
    html`<p><button class="${looks}" name="do" value="${what}">${t(what)}</button></p>`
  const title = t('pay', { name })
  return card(
    language,
    title,
    html`
<p class="brand">${t('brand')}</p>
<p class="notice warning" role="note">${t('no_money')}</p>
<h1>${title}</h1>
${session.description === name ? '' : html`<p>${session.description}</p>`}
<p class="host">${price(session.amount / 10 ** getCurrencyExponent(session.currency))}</p>
<form method="post" action="/pay/${session.id}">
${act('wallet', 'full')}
<fieldset><legend>${t('choose')}</legend>
${act('approve', 'full quiet')}
${act('challenge', 'full quiet')}
${act('late', 'full quiet')}
${act('decline', 'full quiet')}
</fieldset>
</form>
<p class="foot"><a href="${session.cancel_url}">${t('close')}</a></p>`,
  )
}

function codePage({ language }: PageVisit, { id }: SandboxSession, { isWrong = false } = {}): Html {
  const t = sandboxTranslator(language)
  const fault = isWrong ? t('code_wrong') : undefined
  const codeField = { id: 'code', name: 'code', inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 10 }
  return card(
    language,
    t('code_title'),
    html`
<p class="brand">${t('brand')}</p>
<h1>${t('code_title')}</h1>
<p>${t('code_text')}</p>
<form method="post" action="/pay/${id}/challenge">
<p class="field"><label for="code">${t('code')}</label>
<input${attributes(codeField)}${aboutField('code', { fault, focus: true })}></p>
${renderFieldFault('code', fault)}
<div class="pair"><button>${t('confirm')}</button>
<button class="quiet" name="do" value="decline">${t('decline')}</button></div>
</form>`,
  )
}

function overPage({ language }: PageVisit, { status, return_url }: SandboxSession): Html {
  const t = sandboxTranslator(language)
  return card(
    language,
    t('over'),
    html`
<p class="brand">${t('brand')}</p>
<h1>${t('over')}</h1>
<p>${t('over_text', { status: t(status as SandboxMessageKey) })}</p>
<p><a class="button" href="${return_url}">${t('back')}</a></p>`,
  )
}

function homePage({ language }: PageVisit): Html {
  const t = sandboxTranslator(language)
  return card(
    language,
    t('brand'),
    html`
<h1>${t('brand')}</h1>
<p>${t('home_text')} ${t('no_money')}</p>
<form method="post" action="/"><button>${t('open')}</button></form>`,
  )
}

function accountPage({ language }: PageVisit, account: SandboxAccount): Html {
  const t = sandboxTranslator(language)
  const secret = (word: SandboxMessageKey, text: string) => html`<dt>${t(word)}</dt><dd><code>${text}</code></dd>`
  return card(
    language,
    t('opened'),
    html`
<p class="brand">${t('brand')}</p>
<h1>${t('opened')}</h1>
<dl>${secret('api_key', account.key)}${secret('webhook_secret', deriveWebhookSecret(account))}</dl>
<p>${t('webhook_url')}</p>`,
  )
}
