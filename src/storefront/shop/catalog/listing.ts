// What a list of products looks like: what it is of, what narrows and sorts it, the products, its other pages.
import { html } from 'hono/html'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import type { PublicCategory, PublicCollection } from '../../../commerce/catalog/publicgroups.ts'
import type { Page } from '../../../kit/declare/page.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { cards, collectionCards } from './card.ts'
import { isNarrowed } from './filters.ts'
import { metaOf } from '../frame/meta.ts'
import type { Html, Visit } from '../frame/page.ts'
import { pageLinks } from './pagination.ts'
import { sorting, type Sort } from './sorting.ts'
import { groupData, shopData } from './structured.ts'
import { langOf, langOfShop } from '../frame/tongue.ts'
import { frame, homeOf, sourceOf } from '../frame/view.ts'

/** A category or a collection, as its page begins. */
export type Heading = Pick<PublicCategory, 'name' | 'description' | 'image' | 'untranslated'> & { path: string }

type Shown = {
  products: Page<PublicProduct>
  sort: Sort
  heading: Heading | null
  /** The words of the search, and what was typed, which may be misspelled. */
  searched: string
  typed: string
  isFront: boolean
  categories: readonly PublicCategory[]
  featured: readonly PublicProduct[]
  collections: readonly PublicCollection[]
  filters: Html | ''
}

/** How many cards are seen before anybody scrolls: none below a picture that opens the page, which comes first. */
function seenAtOnce(hero: { image: string | null }): number {
  return hero.image === null ? 4 : 0
}

export function listing(visit: Visit, shown: Shown): Html {
  const { say, offer, store, face } = visit
  const { heading, searched, typed, isFront, categories, featured, collections, filters } = shown
  const name = offer.store_title ?? store.name
  const title = searched ? say('results_for', { query: searched }) : (heading?.name ?? name)
  const hero = heroOf(visit, shown)
  const { page } = shown.products.pagination
  const path = `${heading?.path ?? ''}${page > 1 ? `?page=${page}` : ''}`
  const firstPicture = shown.products.data.find(({ main_image }) => main_image !== null)?.main_image
  const described = { title, description: hero.text ?? title, path, image: hero.image ?? firstPicture }
  const facts = heading ? groupData(visit, heading) : isFront ? shopData(visit) : ''
  return frame(visit, {
    title,
    ...(searched
      ? {}
      : {
          head: html`${metaOf(visit, described)}
${facts}`,
        }),
    content: html`
<div class="hero${isFront ? ' front' : ''}"><div>
<h1${attributes({ lang: hero.titleLang })}>${(isFront && face.hero_title) || title}</h1>
${hero.text ? html`<p class="lead"${attributes({ lang: hero.textLang })}>${hero.text}</p>` : ''}</div>
${hero.image ? heroPicture(visit, hero.image) : ''}</div>
${categories.length > 0 ? categoryLinks(visit, categories) : ''}
${searched === typed ? '' : html`<p>${say('shown_instead', { typed, searched })}</p>`}
${filters}
${featured.length > 0 ? shelf(visit, featured, seenAtOnce(hero)) : ''}
${collections.length > 0 ? collectionCards(visit, collections) : ''}
${found(visit, shown, seenAtOnce(hero))}`,
  })
}

/** What the merchant puts first; what is new comes after it. */
function shelf(visit: Visit, featured: readonly PublicProduct[], atOnce: number): Html {
  return html`<section class="shelf"><h2>${visit.say('featured')}</h2>${cards(visit, featured, atOnce)}</section>`
}

/** The first page alone has text and picture. */
function heroOf(visit: Visit, { heading, isFront, products }: Shown): Hero {
  const { face, offer } = visit
  if (isFront) {
    // The name of a store is the same in every language.
    const titleLang = face.hero_title ? langOfShop(visit, 'hero_title') : null
    const textLang = langOfShop(visit, face.hero_text ? 'hero_text' : 'description')
    return { text: face.hero_text ?? offer.description, image: face.hero_image, titleLang, textLang }
  }
  if (heading === null) return { text: null, image: null, titleLang: null, textLang: null }
  const titleLang = langOf(visit, heading, 'name')
  if (products.pagination.page > 1) return { text: null, image: null, titleLang, textLang: null }
  const { description: text, image } = heading
  return { text, image, titleLang, textLang: langOf(visit, heading, 'description') }
}

type Hero = { text: string | null; image: string | null; titleLang: string | null; textLang: string | null }

// As catalogue.css lays it out: beside the words where there is room, else below them.
const heroSizes = '(min-width: 76rem) 39rem, (min-width: 44rem) 52vw, 100vw'

function heroPicture(visit: Visit, url: string): Html {
  const source = sourceOf(visit, url, heroSizes)
  return html`<img alt=""${attributes({ ...source, fetchpriority: 'high', decoding: 'async' })}>`
}

function categoryLinks(visit: Visit, categories: readonly PublicCategory[]): Html {
  const { root, say, params, query } = visit
  const link = (href: string, text: string, isHere: boolean, lang: string | null = null) =>
    html`<li><a${attributes({ href: href, lang, 'aria-current': isHere && 'page' })}>${text}</a></li>`
  const isHome = params.category === undefined && params.collection === undefined && !query.q
  return html`<nav class="categories" aria-label="${say('categories')}"><ul>
${link(homeOf(visit), say('all_products'), isHome)}
${categories.map((category) => {
  const { slug, name } = category
  return link(`${root}/categories/${slug}`, name, slug === params.category, langOf(visit, category, 'name'))
})}
</ul></nav>`
}

function found(visit: Visit, shown: Shown, atOnce: number): Html {
  const { say } = visit
  const { products, sort, heading, searched, isFront, featured, collections } = shown
  const { data, pagination } = products
  if (pagination.total === 0) return empty(visit, searched !== '' || heading !== null || isNarrowed(visit))
  const isBelow = featured.length > 0 || collections.length > 0
  const isNewest = sort === 'newest'
  const title = say(isNewest ? 'recently_added' : 'all_products')
  return html`${isFront && (isBelow || isNewest) ? html`<h2>${title}</h2>` : ''}
<div class="bar"><p>${say('products', { count: pagination.total })}</p>
${sorting(visit, sort)}</div>
${cards(visit, data, isBelow ? 0 : atOnce)}
${pageLinks(visit, pagination)}`
}

function empty(visit: Visit, isNarrowed: boolean): Html {
  const { say } = visit
  return html`<div class="note"><p>${say(isNarrowed ? 'nothing_found' : 'nothing_yet')}</p>
${isNarrowed ? html`<p><a class="button" href="${homeOf(visit)}">${say('all_products')}</a></p>` : ''}</div>`
}
