// What stands around every page of a store: its announcement, name, menus, and who is behind it.
import { html } from 'hono/html'
import { addressOf } from '../face/links.ts'
import { attributes } from '../pages/parts.ts'
import type { Html, Visit } from './page.ts'

export function announcement({ root, face }: Visit): Html | '' {
  const { announcement: text, announcement_link: link } = face
  if (text === null) return ''
  const content = link === null ? text : html`<a href="${addressOf(root, link)}">${text}</a>`
  return html`<p class="announcement">${content}</p>`
}

/** The logo, which says the name, or the name. */
export function brand({ face, offer, store }: Visit): Html | string {
  const name = offer.store_title ?? store.name
  return face.logo === null ? name : html`<img src="${face.logo}" alt="${name}"${fromElsewhere}>`
}

const fromElsewhere = attributes({ referrerpolicy: 'no-referrer' })

type Link = { label: string; link: string }

export function menu({ root, here }: Visit, { label, links }: { label: string; links: readonly Link[] }): Html | '' {
  if (links.length === 0) return ''
  const path = here.split('?')[0]!
  return html`<nav class="menu" aria-label="${label}"><ul>${links.map(({ label: text, link }) => {
    const href = addressOf(root, link)
    const own = attributes({ href, 'aria-current': path === href && 'page', rel: isElsewhere(link) && 'noopener' })
    return html`<li><a${own}>${text}</a></li>`
  })}</ul></nav>`
}

function isElsewhere(link: string): boolean {
  return link.startsWith('https:')
}

/** At the checkout too. */
export function policies(visit: Visit): Html | '' {
  const links = visit.face.policies.map(({ title, slug, titles }) => {
    const label = titles?.[visit.language] ?? title
    return { label, link: `/pages/${slug}` }
  })
  return menu(visit, { label: visit.say('policies'), links })
}

/** Who sells here, and where they are reached. */
export function imprint({ face, store }: Visit, year: number): Html {
  const { legal_name, contact_address, contact_email, contact_phone, social_links } = face
  const dial = contact_phone?.replaceAll(/[^+\d]/g, '')
  const lines = [
    legal_name ?? store.name,
    contact_address,
    contact_email && html`<a href="mailto:${contact_email}">${contact_email}</a>`,
    contact_phone && (dial ? html`<a href="tel:${dial}">${contact_phone}</a>` : contact_phone),
  ].filter(Boolean)
  const below = lines.map((line, index) => html`${index > 0 ? html`<br>` : ''}${line}`)
  return html`<div class="imprint"><p>© ${year} ${below}</p>
${
  social_links.length > 0
    ? html`<ul>${social_links.map((url) => html`<li><a rel="noopener me" href="${url}">${placeOf(url)}</a></li>`)}</ul>`
    : ''
}</div>`
}

const places: Record<string, string> = {
  'instagram.com': 'Instagram',
  'facebook.com': 'Facebook',
  'tiktok.com': 'TikTok',
  'youtube.com': 'YouTube',
  'x.com': 'X',
  'pinterest.com': 'Pinterest',
  'linkedin.com': 'LinkedIn',
  'wa.me': 'WhatsApp',
  't.me': 'Telegram',
}

function placeOf(url: string): string {
  const host = new URL(url).hostname.replace(/^(www|m)\./, '')
  return places[host] ?? host
}
