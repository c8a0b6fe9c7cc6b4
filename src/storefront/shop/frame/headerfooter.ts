// The header and footer of every page of a store: announcement, name, menus and imprint.
import { html } from 'hono/html'
import { resolveSiteAddress } from '../../branding/links.ts'
import { buildPictureSources } from '../../../commerce/media/picture.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, ShopContext } from './page.ts'
import { getForeignLanguage, langOfShop } from './langattributes.ts'

export function announcement(context: ShopContext): Html | '' {
  const { root, face } = context
  const { announcement: text, announcement_link: link } = face
  if (text === null) return ''
  const content = link === null ? text : html`<a href="${resolveSiteAddress(root, link)}">${text}</a>`
  const lang = attributes({ lang: langOfShop(context, 'announcement') })
  return html`<aside class="announcement"${lang}>${content}</aside>`
}

/** The logo, whose alternative text is the name, or the name. */
export function brand({ face, offer, store }: ShopContext): Html | string {
  const name = offer.store_title ?? store.name
  if (face.logo === null) return name
  const own = buildPictureSources(face.logo, store.id)
  const source = own
    ? { srcset: own.srcset, sizes: '16rem', width: own.width, height: own.height }
    : { referrerpolicy: 'no-referrer' }
  return html`<img src="${own?.src ?? face.logo}" alt="${name}"${attributes(source)}>`
}

/** The URL of the favicon; null for the default. */
export function toFaviconUrl({ face, store }: ShopContext): string | null {
  return (face.favicon && buildPictureSources(face.favicon, store.id)?.smallest) ?? face.favicon
}

type MenuLink = { label: string; link: string; lang?: string | null }

export function menu(
  { root, here }: ShopContext,
  { label, links }: { label: string; links: readonly MenuLink[] },
): Html | '' {
  if (links.length === 0) return ''
  const path = here.split('?')[0]!
  return html`<nav class="menu" aria-label="${label}"><ul>${links.map(({ label: text, link, lang }) => {
    const href = resolveSiteAddress(root, link)
    const own = attributes({
      href,
      lang,
      'aria-current': path === href && 'page',
      rel: isElsewhere(link) && 'noopener',
    })
    return html`<li><a${own}>${text}</a></li>`
  })}</ul></nav>`
}

type MenuEntry = { label: string; link: string; isTranslated?: boolean }

/** The links of a merchant's menu. */
export function buildMenuLinks(context: ShopContext, entries: readonly MenuEntry[]): MenuLink[] {
  return entries.map(({ label, link, isTranslated }) => ({
    label,
    link,
    lang: isTranslated ? null : getForeignLanguage(context),
  }))
}

function isElsewhere(link: string): boolean {
  return link.startsWith('https:')
}

export const contactPath = '/contact'

/** Links for questions about an order or the shop. */
export function helpLinks(context: ShopContext): Html | '' {
  const { t, face } = context
  const contact = face.takes_enquiries ? [{ label: t('contact'), link: contactPath }] : []
  return menu(context, { label: t('help'), links: [...contact, { label: t('find_order'), link: '/find-order' }] })
}

/** Also shown at the checkout. */
export function policies(context: ShopContext): Html | '' {
  const links = context.face.policies.map(({ title, slug, titles }) => {
    const there = titles?.[context.language]
    return { label: there ?? title, link: `/pages/${slug}`, lang: there ? null : getForeignLanguage(context) }
  })
  return menu(context, { label: context.t('policies'), links })
}

/** Leads to the same page with the other prices. */
export function taxSwitch({ taxView, here, t }: ShopContext): Html | '' {
  if (!taxView.canSwitch) return ''
  const isIncluded = taxView.way === 'included'
  const href = addressWith(here, { tax: isIncluded ? 'excluded' : 'included' })
  return html`<a${attributes({ href, rel: 'nofollow' })}>${t(isIncluded ? 'tax_show_without' : 'tax_show_with')}</a>`
}

/** The seller and their contact details. */
export function imprint({ face, store }: ShopContext, year: number): Html {
  const { legal_name, social_links } = face
  const contact = contactLines(face).map((line) => html`<br>${line}`)
  return html`<div class="imprint"><p>© ${year} ${legal_name ?? store.name}${contact}</p>
${
  social_links.length > 0
    ? html`<ul>${social_links.map(
        (url) => html`<li><a rel="noopener me" href="${url}">${formatNetworkName(url)}</a></li>`,
      )}</ul>`
    : ''
}</div>`
}

/** Contact details of the merchant, line by line. */
export function contactLines({ contact_address, contact_email, contact_phone }: ShopContext['face']): Html[] {
  const dial = contact_phone?.replaceAll(/[^+\d]/g, '')
  const lines = [
    contact_address,
    contact_email && html`<a href="mailto:${contact_email}">${contact_email}</a>`,
    contact_phone && (dial ? html`<a href="tel:${dial}">${contact_phone}</a>` : contact_phone),
  ].filter(Boolean)
  return lines.map((line) => html`${line}`)
}

const networkNames: Record<string, string> = {
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

function formatNetworkName(url: string): string {
  const host = new URL(url).hostname.replace(/^(www|m)\./, '')
  return networkNames[host] ?? host
}
