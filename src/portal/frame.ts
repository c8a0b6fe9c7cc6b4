// The frame of the portal's pages: the way between them, whose store it is, and who is signed in.
import { html } from 'hono/html'
import { publicId } from '../kit/values/ids.ts'
import type { Doer } from '../audit/securityevent.ts'
import type { Language } from '../kit/values/language.ts'
import { card } from '../pages/frame.ts'
import { hidden, tabs } from '../pages/parts.ts'
import type { Membership } from '../accounts/session.ts'
import { field, signedIn, titled, type Html, type Reply, type Visit } from '../signin/page.ts'
import { sayIn } from './words.ts'

const places = {
  home: '',
  clients: '/clients',
  apps: '/apps',
  team: '/team',
  requests: '/requests',
  sessions: '/sessions',
} as const

export type PortalPlace = keyof typeof places

export function portalPath(place: PortalPlace): string {
  return `/oauth/portal${places[place]}`
}

/** A page about a store names it. */
export function portalFrame(visit: Visit, current: PortalPlace | 'password', content: Html, store?: Membership): Html {
  const { language, root } = visit
  const say = sayIn(language)
  const title = say(`portal_${current}`)
  const links = (Object.keys(places) as PortalPlace[]).map((place) => ({
    href: root + portalPath(place),
    text: say(`portal_${place}`),
    isCurrent: place === current,
  }))
  return card(
    language,
    store ? `${title} · ${store.name}` : title,
    html`
${store ? html`<p class="brand">${store.name}</p>` : ''}
${tabs(say('portal'), links)}
<h1>${title}</h1>
${content}
<div class="foot">${say('signed_in_as', { email: signedIn(visit).email })}.
<form method="post" action="${root}/oauth/logout"><button class="link">${say('sign_out')}</button></form>
</div>`,
    { wide: true },
  )
}

/** Which of the stores a page is about: the one asked for, else the first. */
export function chosenStore(visit: Visit): Membership | undefined {
  const open = signedIn(visit).stores.filter(({ status }) => status !== 'closed')
  return open.find(({ id }) => id === (visit.query.store ?? field(visit.form, 'store'))) ?? open[0]
}

/** A way to the other stores, when there are any. */
export function storeTabs(visit: Visit, current: Membership | undefined): Html | '' {
  const { stores } = signedIn(visit)
  const links = stores.map(({ id, name }) => ({ href: `?store=${id}`, text: name, isCurrent: id === current?.id }))
  return stores.length < 2 ? '' : tabs(sayIn(visit.language)('which_store'), links)
}

/** In the time of the store, which the text names. */
export function dateIn(language: Language, date: Date | string, store?: Pick<Membership, 'timezone'>): string {
  const timeZone = store?.timezone ?? 'UTC'
  const day = { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const
  return new Intl.DateTimeFormat(language, { ...day, timeZoneName: 'short', timeZone }).format(new Date(date))
}

/** For the log of security events. */
export function doerOf(visit: Visit): Doer {
  const { ip, userAgent } = visit
  return { kind: 'user', id: publicId('usr', signedIn(visit).user_id), ip, userAgent }
}

type Confirmation = {
  title: string
  text: string
  /** What the form sent, to be sent again. */
  fields: Record<string, string>
  button: string
}

/** What cannot be undone is asked for a second time: the same form, and one field that says so. */
export function askFirst(visit: Visit, place: PortalPlace, { title, text, fields, button }: Confirmation): Reply {
  const { language, root, here } = visit
  const content = html`
<p>${text}</p>
<form method="post" action="${here}">
${Object.entries({ ...fields, sure: '1' }).map(([name, value]) => hidden(name, value))}
<div class="pair"><a class="button quiet" href="${root}${portalPath(place)}">${sayIn(language)('keep')}</a>
<button>${button}</button></div>
</form>`
  return { page: titled(visit, title, content) }
}

export function isSure({ form }: Visit): boolean {
  return field(form, 'sure') === '1'
}
