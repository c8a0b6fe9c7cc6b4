// The demo store's appearance, contact details, pages and menus.
import { readFileSync } from 'node:fs'

const email = 'hello@harbour-and-pine.example'

/** A body of PATCH /v1/store/appearance. */
export const look = {
  accent_color: '#1f4e6b',
  accent_color_dark: '#8cc4dd',
  font: 'serif',
  announcement: 'Free standard shipping from $150',
  announcement_link: '/pages/shipping',
  hero_title: 'Things that last, from a small harbor',
  hero_text: 'Bags, blankets and kitchenware, made by people we know and built to last for years.',
  legal_name: 'Harbour & Pine Trading Co.',
  contact_email: email,
  contact_phone: '+1 207 555 0142',
  contact_address: '12 Harbour Street\nPortland, ME 04101',
  social_links: ['https://www.instagram.com/explore/tags/enamelmug/'],
}

export const menus = {
  header_menu: [
    { label: 'Bags', link: '/categories/bags' },
    { label: 'Blankets', link: '/categories/blankets' },
    { label: 'Outdoors', link: '/categories/outdoors' },
    { label: 'About us', link: '/pages/about-us' },
  ],
  footer_menu: [
    { label: 'About us', link: '/pages/about-us' },
    { label: 'Gift cards', link: '/products/gift-card' },
  ],
}

const readPageBody = (file: string) => readFileSync(new URL(`pages/${file}.md`, import.meta.url), 'utf8')

// prettier-ignore
export const pages = [
  { title: 'About us',      kind: 'page',     body: readPageBody('about-us'),
    seo_description: 'Harbour & Pine is a small shop by the water in Portland, Maine.' },
  { title: 'Shipping',      kind: 'shipping', body: readPageBody('shipping') },
  { title: 'Returns',       kind: 'returns',  body: readPageBody('returns') },
  { title: 'Privacy',       kind: 'privacy',  body: readPageBody('privacy') },
  { title: 'Terms of sale', kind: 'terms',    body: readPageBody('terms-of-sale') },
]
