// A list of products: heading, filters, sorting, products and pagination.
import { html } from 'hono/html'
import type { ProductCard } from '../../../commerce/catalog/productcard.ts'
import type { PublicCategory, PublicCollection } from '../../../commerce/catalog/publicgroups.ts'
import type { RecordPage } from '../../../kit/declare/page.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { cards, collectionCards } from './card.ts'
import { isNarrowed } from './filters.ts'
import { renderMeta, buildSeoTexts } from '../frame/meta.ts'
import type { Html, ShopContext } from '../frame/page.ts'
import { pageLinks } from './pagination.ts'
import { sorting, type Sort } from './sorting.ts'
import { categoryStep, groupData, shopData } from './structured.ts'
import { trail } from './trail.ts'
import { getTextLanguage, langOfShop } from '../frame/langattributes.ts'
import { frame, buildHomePath, buildImageSource } from '../frame/view.ts'

/** The heading of a category's or collection's page. */
export type Heading = Pick<PublicCategory, HeadingText | 'image' | 'untranslated'> & { path: string }
type HeadingText = 'name' | 'description' | 'seo_title' | 'seo_description'

type Branch = { above: readonly PublicCategory[]; below: readonly PublicCategory[] }

type ListingProps = {
  products: RecordPage<ProductCard>
  sort: Sort
  heading: Heading | null
  /** The words of the search, corrected, and as typed. */
  searched: string
  searchText: string
  isFront: boolean
  categories: readonly PublicCategory[]
  /** The categories above and below that of the page. */
  branch: Branch
  featured: readonly ProductCard[]
  collections: readonly PublicCollection[]
  filters: Html | ''
  /** The description of the category or collection. */
  prose: Html | ''
}

/** The number of cards visible without scrolling: none below a hero image, which loads first. */
function seenAtOnce(hero: { image: string | null }): number {
  return hero.image === null ? 4 : 0
}

export function listing(context: ShopContext, props: ListingProps): Html {
  const { t, offer, store, face } = context
  const { heading, searched, searchText, isFront, categories, branch, featured, collections, filters } = props
  const name = offer.store_title ?? store.name
  const title = searched ? t('results_for', { query: searched }) : (heading?.name ?? name)
  const hero = buildHero(context, props)
  const { page } = props.products.pagination
  const path = `${heading?.path ?? ''}${page > 1 ? `?page=${page}` : ''}`
  const firstPicture = props.products.data.find(({ main_image }) => main_image !== null)?.main_image
  const seo = heading && buildSeoTexts(heading)
  const text = page === 1 && seo ? seo.description : hero.text
  const meta = { title: seo?.title ?? title, description: text ?? title, path, image: hero.image ?? firstPicture }
  const facts = heading
    ? groupData(context, [...branch.above.map(categoryStep), heading])
    : isFront
      ? shopData(context)
      : ''
  return frame(context, {
    title: meta.title,
    ...(searched
      ? {}
      : {
          head: html`${renderMeta(context, meta)}
${facts}`,
        }),
    content: html`
${trail(context, branch.above)}
<div class="hero${isFront ? ' front' : ''}"><div>
<h1${attributes({ lang: hero.titleLang })}>${(isFront && face.hero_title) || title}</h1>
${hero.lead}</div>
${hero.image ? heroPicture(context, hero.image) : ''}</div>
${categories.length > 0 ? categoryLinks(context, categories, branch) : ''}
${searched === searchText ? '' : html`<p>${t('shown_instead', { typed: searchText, searched })}</p>`}
${filters}
${featured.length > 0 ? shelf(context, featured, seenAtOnce(hero)) : ''}
${collections.length > 0 ? collectionCards(context, collections) : ''}
${results(context, props, seenAtOnce(hero))}`,
  })
}

/** The merchant's featured products, before the new ones. */
function shelf(context: ShopContext, products: readonly ProductCard[], atOnce: number): Html {
  return html`<section class="shelf"><h2>${context.t('featured')}</h2>${cards(context, products, atOnce)}</section>`
}

/** Only the first page has text and image. */
function buildHero(context: ShopContext, { heading, isFront, products, prose }: ListingProps): Hero {
  const { face, offer } = context
  if (isFront) {
    // The name of a store is the same in every language.
    const titleLang = face.hero_title ? langOfShop(context, 'hero_title') : null
    const lang = langOfShop(context, face.hero_text ? 'hero_text' : 'description')
    const text = face.hero_text ?? offer.description
    const lead = text ? html`<p class="lead"${attributes({ lang })}>${text}</p>` : ''
    return { text, lead, image: face.hero_image, titleLang }
  }
  if (heading === null) return { text: null, lead: '', image: null, titleLang: null }
  const titleLang = getTextLanguage(context, heading, 'name')
  if (products.pagination.page > 1) return { text: null, lead: '', image: null, titleLang }
  const { description: text, image } = heading
  const lang = getTextLanguage(context, heading, 'description')
  return { text, lead: prose && html`<div class="lead"${attributes({ lang })}>${prose}</div>`, image, titleLang }
}

type Hero = { text: string | null; lead: Html | ''; image: string | null; titleLang: string | null }

// Must match catalogue.css: beside the text on wide screens, otherwise below it.
const heroSizes = '(min-width: 76rem) 39rem, (min-width: 44rem) 52vw, 100vw'

function heroPicture(context: ShopContext, url: string): Html {
  const source = buildImageSource(context, url, heroSizes)
  return html`<img alt=""${attributes({ ...source, fetchpriority: 'high', decoding: 'async' })}>`
}

/** The categories at the top, and those below the category of the page. */
function categoryLinks(context: ShopContext, categories: readonly PublicCategory[], branch: Branch): Html {
  const { root, t, params, query } = context
  const link = (href: string, text: string, current: string | boolean, lang: string | null = null) =>
    html`<li><a${attributes({ href, lang, 'aria-current': current })}>${text}</a></li>`
  const isHome = params.category === undefined && params.collection === undefined && !query.q
  const row = (label: string, links: Html[]) =>
    html`<nav class="categories" aria-label="${label}"><ul>
${links}
</ul></nav>`
  const toLink = (category: PublicCategory) => {
    const { id, path, slug, name } = category
    const isAbove = branch.above.some((one) => one.id === id)
    const current = slug === params.category ? 'page' : isAbove && 'true'
    return link(`${root}/categories/${path}`, name, current, getTextLanguage(context, category, 'name'))
  }
  const all = link(buildHomePath(context), t('all_products'), isHome && 'page')
  return html`${row(t('categories'), [all, ...categories.map(toLink)])}
${branch.below.length > 0 ? row(t('subcategories'), branch.below.map(toLink)) : ''}`
}

function results(context: ShopContext, props: ListingProps, atOnce: number): Html {
  const { t } = context
  const { products, sort, heading, searched, isFront, featured, collections } = props
  const { data, pagination } = products
  if (pagination.total === 0) return empty(context, searched !== '' || heading !== null || isNarrowed(context))
  const isBelow = featured.length > 0 || collections.length > 0
  const isNewest = sort === 'newest'
  const title = t(isNewest ? 'recently_added' : 'all_products')
  return html`${isFront && (isBelow || isNewest) ? html`<h2>${title}</h2>` : ''}
<div class="bar"><p>${t('products', { count: pagination.total })}</p>
${sorting(context, sort)}</div>
${cards(context, data, isBelow ? 0 : atOnce)}
${pageLinks(context, pagination)}`
}

function empty(context: ShopContext, isNarrowed: boolean): Html {
  const { t } = context
  return html`<div class="note"><p>${t(isNarrowed ? 'nothing_found' : 'nothing_yet')}</p>
${isNarrowed ? html`<p><a class="button" href="${buildHomePath(context)}">${t('all_products')}</a></p>` : ''}</div>`
}
