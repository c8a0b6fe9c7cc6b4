// The home page, a category and a search: one list of products with another heading.
import { html } from 'hono/html'
import {
  publicProduct,
  readPublicCategories,
  readPublicProducts,
  type PublicCategory,
  type PublicProduct,
} from '../catalog/public.ts'
import { countFacets, findTerms } from '../catalog/facets.ts'
import { respelled } from '../catalog/words.ts'
import { notFound } from '../kit/values/errors.ts'
import type { Language } from '../kit/values/language.ts'
import type { Page } from '../kit/declare/page.ts'
import type { ListQuery } from '../kit/declare/resource.ts'
import { attributes } from '../pages/parts.ts'
import { metaOf } from './meta.ts'
import type { Html, Reply, Visit } from './page.ts'
import { offersOf } from './choice.ts'
import { categoryData, shopData } from './structured.ts'
import { filterForm, filtersOf, isNarrowed } from './filters.ts'
import { pageLinks } from './pagination.ts'
import { frame, homeOf, picture, sourceOf } from './view.ts'

const perPage = 24
const maximumCategories = 100

// ?sort= → how the list is asked for; the first unless another is named.
// prettier-ignore
const sorts = {
  newest:     { sort: 'created_at', order: 'desc' },
  price_up:   { sort: 'price', order: 'asc' },
  price_down: { sort: 'price', order: 'desc' },
  name:       { sort: 'name', order: 'asc' },
} as const

type Sort = keyof typeof sorts

export async function home(visit: Visit): Promise<Reply> {
  const { db, store, params, translation } = visit
  const query = queryOf(visit)
  const isPlain = visit.query.q === undefined && params.category === undefined && !isNarrowed(visit)
  const [found, categories, facets, featured, called] = await Promise.all([
    readPublicProducts(db, store, query, translation),
    listCategories(visit),
    isPlain ? null : countFacets(db, store, query),
    isPlain && query.page === 1 ? listFeatured(visit) : [],
    findTerms(db, store.id, isPlain ? null : translation),
  ])
  const category = categories.find(({ slug }) => slug === params.category)
  if (params.category !== undefined && !category) throw notFound('Category')
  const again = found.pagination.total === 0 ? await respelledSearch(visit) : null
  const products = again?.products ?? found
  // Of an empty list the first page is all.
  const { page, total_pages } = products.pagination
  if (page > Math.max(total_pages, 1)) throw notFound('Page')
  const searched = again?.searched ?? searchedOf(visit)
  const filters = isPlain ? '' : filterForm(visit, again?.facets ?? facets, called)
  return { page: listing(visit, { products, categories, category, searched, featured, filters }) }
}

/** Nothing has these words: those that the shop has and that are nearly the same. */
async function respelledSearch(visit: Visit) {
  const { db, store, translation } = visit
  const typed = searchedOf(visit)
  const searched = typed === '' ? null : await respelled(db, store.id, typed)
  if (searched === null) return null
  const query = queryOf(visit, searched)
  const [products, facets] = await Promise.all([
    readPublicProducts(db, store, query, translation),
    countFacets(db, store, query),
  ])
  return { products, facets, searched }
}

const maximumFeatured = 8

async function listFeatured({ db, store, translation }: Visit): Promise<PublicProduct[]> {
  const query = { page: 1, per_page: maximumFeatured, sort: 'created_at', order: 'desc', is_featured: true } as const
  return (await readPublicProducts(db, store, query, translation)).data
}

/** Whatever somebody writes into the address, it asks for a list. */
function queryOf(visit: Visit, searched = searchedOf(visit)): ListQuery {
  const { store, query, params, db } = visit
  const page = /^[1-9]\d{0,5}$/.test(query.page ?? '') ? query.page : '1'
  const asked = { page, per_page: String(perPage), ...sorts[sortOf(visit)] }
  const filters = {
    ...filtersOf(visit),
    ...(searched ? { words: searched } : {}),
    ...(params.category === undefined ? {} : { category: params.category.slice(0, 100) }),
  }
  return publicProduct.query.read({ ...asked, ...filters }, { ...store, now: db.clock.now() }) as ListQuery
}

function sortOf({ query }: Visit): Sort {
  return Object.hasOwn(sorts, query.sort ?? '') ? (query.sort as Sort) : 'newest'
}

function searchedOf({ query }: Visit): string {
  return (query.q ?? '').trim().slice(0, 100).toWellFormed()
}

async function listCategories({ db, store, translation }: Visit): Promise<PublicCategory[]> {
  const query = { page: 1, per_page: maximumCategories, sort: 'name', order: 'asc' } as const
  return (await readPublicCategories(db, store, query, translation)).data
}

type Shown = {
  products: Page<PublicProduct>
  categories: PublicCategory[]
  category: PublicCategory | undefined
  searched: string
  featured: PublicProduct[]
  filters: Html | ''
}

function listing(visit: Visit, { products, categories, category, searched, featured, filters }: Shown): Html {
  const { say, offer, store, face, params } = visit
  const {
    pagination: { page, total },
    data,
  } = products
  const name = offer.store_title ?? store.name
  const isFront = !category && searched === '' && page === 1 && filters === ''
  const title = searched ? say('results_for', { query: searched }) : (category?.name ?? name)
  const description = isFront ? (face.hero_text ?? offer.description) : null
  const firstPicture = data.find(({ main_image }) => main_image !== null)?.main_image
  const image = (isFront ? face.hero_image : null) ?? firstPicture
  const meta = metaOf(visit, { title, description: description ?? title, path: pathOf(visit, page), image })
  const facts = category ? categoryData(visit, category) : isFront ? shopData(visit) : ''
  return frame(visit, {
    title,
    ...(searched
      ? {}
      : {
          head: html`${meta}
${facts}`,
        }),
    content: html`
<div class="hero${isFront ? ' front' : ''}"><div><h1>${isFront ? (face.hero_title ?? title) : title}</h1>
${description ? html`<p class="lead">${description}</p>` : ''}</div>
${isFront && face.hero_image ? heroPicture(visit, face.hero_image) : ''}</div>
${categories.length > 0 ? categoryLinks(visit, categories) : ''}
${searched === searchedOf(visit) ? '' : html`<p>${say('shown_instead', { typed: searchedOf(visit), searched })}</p>`}
${filters}
${featured.length > 0 ? shelf(visit, featured) : ''}
${
  total === 0
    ? empty(visit, searched !== '' || params.category !== undefined || isNarrowed(visit))
    : html`
<div class="bar"><p>${say('products', { count: total })}</p>${sorting(visit)}</div>
<ul class="grid">${data.map((product, index) => card(visit, product, index < 4 && featured.length === 0))}</ul>
${pageLinks(visit, products.pagination)}`
}`,
  })
}

// As catalogue.css lays it out: beside the words where there is room, else below them.
const heroSizes = '(min-width: 76rem) 39rem, (min-width: 44rem) 52vw, 100vw'

function heroPicture(visit: Visit, url: string): Html {
  const own = attributes({ ...sourceOf(visit, url, heroSizes), fetchpriority: 'high', decoding: 'async' })
  return html`<img alt=""${own}>`
}

function pathOf({ params }: Visit, page: number): string {
  const path = params.category === undefined ? '' : `/categories/${params.category}`
  return page > 1 ? `${path}?page=${page}` : path
}

function categoryLinks(visit: Visit, categories: PublicCategory[]): Html {
  const { root, say, params, query } = visit
  const link = (href: string, text: string, isHere: boolean) =>
    html`<li><a${attributes({ href: href, 'aria-current': isHere && 'page' })}>${text}</a></li>`
  return html`<nav class="categories" aria-label="${say('categories')}"><ul>
${link(homeOf(visit), say('all_products'), params.category === undefined && !query.q)}
${categories.map(({ slug, name }) => link(`${root}/categories/${slug}`, name, slug === params.category))}
</ul></nav>`
}

function sorting(visit: Visit): Html {
  const { say } = visit
  const options = (Object.keys(sorts) as Sort[]).map(
    (sort) =>
      html`<option${attributes({ value: sort, selected: sort === sortOf(visit) })}>${say(`sort_${sort}`)}</option>`,
  )
  return html`<form class="sort" data-send>
${keptBySort(visit)}
<label for="sort">${say('sort')}</label>
<select id="sort" name="sort">${options}</select>
<button class="quiet">${say('show')}</button>
</form>`
}

/** Everything else that the address says. */
function keptBySort({ here }: Visit): Html[] {
  const others = [...new URL(here, 'http://here').searchParams].filter(([name]) => name !== 'sort' && name !== 'page')
  return others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

/** What the merchant puts first; what is new comes after it. */
function shelf(visit: Visit, featured: readonly PublicProduct[]): Html {
  return html`<section class="shelf"><h2>${visit.say('featured')}</h2>
<ul class="grid">${featured.map((product, index) => card(visit, product, index < 4))}</ul></section>
<h2>${visit.say(sortOf(visit) === 'newest' ? 'recently_added' : 'all_products')}</h2>`
}

// As catalogue.css lays them out: two in a row on a phone, else as many as are 14rem wide.
const cardSizes = '(min-width: 40rem) 20rem, 50vw'

function card(visit: Visit, product: PublicProduct, isFirst: boolean): Html {
  const { root, say, price, language } = visit
  const { lowest, isFrom, compare, percent } = offersOf(product)
  const badge = !product.is_purchasable ? say('sold_out') : percent > 0 ? percentOff(language, percent) : ''
  return html`<li class="card${product.is_purchasable ? '' : ' out'}"><a href="${root}/products/${product.slug}">
${picture(visit, product.main_image, product.name, { eager: isFirst, sizes: cardSizes })}
${badge ? html`<span class="badge">${badge}</span>` : ''}
<h2>${product.name}</h2>
<p class="price">${isFrom ? say('from_price', { price: price(lowest) }) : price(lowest)}
${compare ? html`<s><span class="hidden">${say('before')} </span>${price(compare)}</s>` : ''}</p>
</a></li>`
}

function percentOff(language: Language, percent: number): string {
  return new Intl.NumberFormat(language, { style: 'percent' }).format(-percent / 100).replace('-', '−')
}

function empty(visit: Visit, isNarrowed: boolean): Html {
  const { say } = visit
  return html`<div class="note"><p>${say(isNarrowed ? 'nothing_found' : 'nothing_yet')}</p>
${isNarrowed ? html`<p><a class="button" href="${homeOf(visit)}">${say('all_products')}</a></p>` : ''}</div>`
}
