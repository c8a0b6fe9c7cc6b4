// The page between an app and a merchant's store: the app, its scopes, where the answer goes, and the store to connect.
import { html } from 'hono/html'
import type Provider from 'oidc-provider'
import type { ClientMetadata, InteractionResults } from 'oidc-provider'
import { randomBase62 } from '../../kit/values/secrets.ts'
import { publicId } from '../../kit/values/ids.ts'
import { lacksSecondFactor, findMembership, type Membership, type UserSession } from '../accounts/session.ts'
import { managers } from '../accounts/user.ts'
import { languageLinks } from '../../platform/pages/language.ts'
import { card } from '../../platform/pages/frame.ts'
import { choice, hidden, notice } from '../../platform/pages/parts.ts'
import {
  field,
  message,
  page,
  SignInNeeded,
  type Html,
  type SignInPage,
  type PageResult,
  type SignInVisit,
} from '../signin/page.ts'
import { insertClient } from './clients.ts'
import { loopbacks } from './registration.ts'
import { isVerified } from './software.ts'
import { consentTranslator, scopesInWords } from './messages.ts'

type Interaction = InstanceType<Provider['Interaction']>

export function consentPages(provider: () => Promise<Provider>): SignInPage[] {
  return [
    page('GET', '/interaction/:uid', async (visit) => answer(await provider(), visit, ask)),
    page('POST', '/interaction/:uid', async (visit) => answer(await provider(), visit, decide)),
  ]
}

type AuthorizationRequest = {
  provider: Provider
  interaction: Interaction
  client: ClientMetadata
  session: UserSession
  /** The stores to which the person may connect apps; staff may not. */
  stores: Membership[]
}

/** Only the browser that began the request holds its cookie, and only the approving browser gets the code. */
async function answer(
  provider: Provider,
  visit: SignInVisit,
  step: (visit: SignInVisit, request: AuthorizationRequest) => Promise<PageResult>,
): Promise<PageResult> {
  const uid = visit.params.uid!
  const interaction = visit.cookies.stoa_interaction === uid ? await provider.Interaction.find(uid) : undefined
  const client = interaction && (await provider.Client.find(String(interaction.params.client_id)))
  if (!interaction || !client) {
    return { status: 400, page: message(visit, visit.say('expired_title'), visit.say('error_back')) }
  }
  const { session } = visit
  const app = displayClientName(client.metadata())
  if (!session) throw new SignInNeeded({ app })
  if (demandsNewLogin(interaction) && !isNewerThan(interaction, session, visit)) {
    throw new SignInNeeded({ again: true, app })
  }
  const stores = session.stores.filter(({ id }) => findMembership(session, id, managers))
  return step(visit, { provider, interaction, client: client.metadata(), session, stores })
}

function displayClientName({ client_name, client_id }: { client_name?: string; client_id: string }): string {
  return client_name ?? client_id
}

function demandsNewLogin({ params }: Interaction): boolean {
  return String(params.prompt ?? '')
    .split(' ')
    .includes('login')
}

/** The library uses the system's clock. */
function isNewerThan({ iat }: Interaction, session: UserSession, { db }: SignInVisit): boolean {
  return session.created_at.getTime() >= iat * 1000 + db.clock.now().getTime() - Date.now()
}

async function ask(visit: SignInVisit, request: AuthorizationRequest, fault?: string): Promise<PageResult> {
  const { language, root, here } = visit
  const say = consentTranslator(language)
  const { interaction, client, session, stores } = request
  const redirect = new URL(String(interaction.params.redirect_uri))
  const isTrusted = await isVerified(visit.db, client)
  const name = displayClientName(client)
  const title = say('consent_title', { client: name })
  const logo = parseImageUrl(client.logo_uri)
  const content = card(
    language,
    title,
    html`
<div class="app">${
      logo
        ? html`<img src="${logo.href}" alt="" referrerpolicy="no-referrer" width="52" height="52">`
        : html`<span class="letter" aria-hidden="true">${[...name][0]?.toUpperCase() ?? ''}</span>`
    }
<h1>${title}</h1>
</div>
${isTrusted ? html`<p><span class="mark">✓ ${say('verified')}</span></p>` : notice('warning', say('unverified'))}
${loopbacks.has(redirect.hostname) ? notice('warning', say('loopback')) : ''}
${fault ? notice('error', fault) : ''}
<p>${say('sends_you_to')}<br><span class="host">${redirect.host}</span></p>
<h2>${say('may')}</h2>
<ul>${scopesInWords(language, listRequestedScopes(interaction)).map((text) => html`<li>${text}</li>`)}</ul>
<form method="post" action="${here}">
${storeChoice(visit, stores)}
<div class="pair">
<button name="decision" value="deny" class="quiet">${say('deny')}</button>
${stores.length === 0 ? '' : html`<button name="decision" value="allow">${say('allow')}</button>`}
</div>
</form>
${about(visit, client)}
<div class="foot">
<p>${say('consent_foot')}</p>
<div>${say('signed_in_as', { email: session.email })}.
<form method="post" action="${root}/oauth/logout">${hidden('return_to', here)}
<button class="link">${say('other_account')}</button></form></div>
</div>${languageLinks(visit)}`,
  )
  return {
    page: content,
    status: fault ? 422 : 200,
    // Browsers apply this to a form's redirects, too. A policy cannot name an IPv6 address (CSP 3 §2.3.1).
    formTo: [redirect.hostname.startsWith('[') ? redirect.protocol : redirect.origin],
    imagesFrom: logo ? [logo.origin] : [],
  }
}

/** Allowed or not, the library ends the request and sends the browser back to the app. */
async function decide(visit: SignInVisit, request: AuthorizationRequest): Promise<PageResult> {
  const { provider, interaction, client, session, stores } = request
  if (field(visit.form, 'decision') !== 'allow') {
    return finish(interaction, { error: 'access_denied', error_description: 'The merchant denied the request' })
  }
  const store = stores.length === 1 ? stores[0] : stores.find(({ id }) => id === field(visit.form, 'store_id'))
  if (!store) return ask(visit, request, consentTranslator(visit.language)('choose_store'))
  if (lacksSecondFactor(session, store))
    return ask(visit, request, consentTranslator(visit.language)('second_factor_first'))
  if (/^https:/i.test(client.client_id)) await keepDocument(visit, client)
  const accountId = publicId('usr', session.user_id)
  const grantId = await saveGrant(provider, interaction, store.id, { accountId, clientId: client.client_id })
  return finish(interaction, { login: { accountId, remember: false }, consent: { grantId }, sessionId: session.id })
}

/** Saves the merchant's consent. The grant's id begins with the store's id, which binds it to the store. */
async function saveGrant(
  provider: Provider,
  interaction: Interaction,
  storeId: string,
  by: { accountId: string; clientId: string },
): Promise<string> {
  const grant = new provider.Grant({ ...by, jti: `${storeId}.${randomBase62(22)}` } as never)
  const scope = listRequestedScopes(interaction).join(' ')
  grant.addOIDCScope(scope)
  const resources = [interaction.params.resource].flat().filter((name) => typeof name === 'string')
  for (const resource of resources) grant.addResourceScope(resource, scope)
  return grant.save()
}

/** The foreign key needs a row, and tokens are checked without fetching the document again. */
async function keepDocument({ db }: SignInVisit, metadata: ClientMetadata): Promise<void> {
  await db.transaction((tx) => insertClient(tx, { id: metadata.client_id, origin: 'document', metadata }))
}

async function finish(interaction: Interaction, result: InteractionResults): Promise<PageResult> {
  interaction.result = result
  await interaction.persist()
  return { location: interaction.returnTo }
}

function listRequestedScopes({ params }: Interaction): string[] {
  return String(params.scope ?? '')
    .split(' ')
    .filter(Boolean)
}

function storeChoice({ language }: SignInVisit, stores: Membership[]): Html {
  const say = consentTranslator(language)
  const [only, ...others] = stores
  if (!only) return html`<p class="notice error">${say('no_store')}. ${say('no_store_text')}</p>`
  const label = say('which_store')
  if (others.length === 0) return html`<p><strong>${label}:</strong> ${only.name}${hidden('store_id', only.id)}</p>`
  return html`<fieldset>
<legend>${label}</legend>
${stores.map(({ id, name }) =>
  choice({ type: 'radio', name: 'store_id', value: id, required: true }, html`${name} <span class="hint">${id}</span>`),
)}
</fieldset>`
}

function about({ language }: SignInVisit, { client_uri, policy_uri, tos_uri }: ClientMetadata): Html | '' {
  const say = consentTranslator(language)
  const links = [
    [client_uri, say('website')],
    [policy_uri, say('privacy')],
    [tos_uri, say('terms')],
  ] as const
  const addresses = links.filter(([href]) => href && /^https?:\/\//i.test(href))
  if (addresses.length === 0) return ''
  return html`<p class="hint">${addresses.map(
    ([href, text], index) => html`
${index > 0 ? '· ' : ''}<a href="${href}" rel="noreferrer noopener nofollow" target="_blank">${text}</a>`,
  )}</p>`
}

/** The browser loads it, never this server, and only an address that fits the page's policy. */
function parseImageUrl(uri: string | undefined): URL | null {
  const url = uri ? URL.parse(uri) : null
  return url?.protocol === 'https:' && /^[a-z0-9.-]+$/i.test(url.hostname) ? url : null
}
