// The home page, a category, a collection and a search: one list of products with different headings. Invalid
// parameters in the URL are ignored.
import { readFeatured, readProductCards, type ProductCard } from '../../../commerce/catalog/productcard.ts'
import { publicProduct } from '../../../commerce/catalog/public.ts'
import {
  publicCategories,
  publicCollections,
  readCategoryBranch,
  type PublicCategory,
  type PublicCollection,
} from '../../../commerce/catalog/publicgroups.ts'
import { readPublicCollectionProducts } from '../../../commerce/catalog/collectionpage.ts'
import { countFacets, findTerms } from '../../../commerce/catalog/facets.ts'
import { correctSpelling } from '../../../commerce/catalog/search.ts'
import { maxLevels } from '../../../commerce/catalog/category.ts'
import { maxMoney } from '../../../kit/values/money.ts'
import { notFound } from '../../../kit/values/errors.ts'
import type { RecordPage } from '../../../kit/declare/page.ts'
import type { ListQuery } from '../../../kit/declare/resource.ts'
import { sql, type Sql } from '../../../kit/database/sql.ts'
import { findOffer } from '../../checkout/offers/offer.ts'
import { shopCookies } from '../frame/cookies.ts'
import { chooseTaxView, readTaxWay, withBundles } from '../frame/taxview.ts'
import { renderProse } from '../../branding/prose.ts'
import { filterForm, readShopFilters, isNarrowed } from './filters.ts'
import { listing, type Heading } from './listing.ts'
import { runReads, type ShopResult, type ShopContext, type ShopVisit } from '../frame/page.ts'
import { redirectedAddress } from '../oldaddresses.ts'
import { readSort, sorts, type Sort } from './sorting.ts'

const perPage = 24
const maxCategories = 100
const maxFeatured = 8
const maximumCollections = 8

/** Reads everything on the page except the shop's own texts. */
export async function readHome(visit: ShopVisit) {
  const { db, store, params, translation } = visit
  const isOfAll = visit.query.q === undefined && params.category === undefined && params.collection === undefined
  const isPlain = isOfAll && !isNarrowed(visit)
  const isFront = isPlain && readPageNumber(visit) === '1'
  // A collection declares its own initial sorting.
  const collection =
    params.collection === undefined
      ? null
      : await publicCollections.find(db, store, params.collection, translation, { onPage: true })
  const sort = readSort(visit, collection?.entity.sort_order)
  const shown = isPlain ? null : await readShownPrice(visit)
  const [category, matches, categories, branch, facets, translateTerm, featuredProducts, collections] =
    await Promise.all([
      params.category === undefined
        ? null
        : publicCategories.find(db, store, params.category, translation, { onPage: true }),
      readProducts(visit, sort, { shown }),
      publicCategories.read(db, store, store.has_subcategories ? topCategories : allCategories, translation),
      params.category !== undefined && store.has_subcategories
        ? readCategoryBranch(db, store.id, params.category, translation)
        : noBranch,
      isPlain ? null : countFacets(db, store, readListQuery(visit, sort), shown ?? undefined),
      findTerms(db, store.id, isPlain ? null : translation),
      isFront ? readFeatured(db, store, maxFeatured, translation) : [],
      isFront ? publicCollections.read(db, store, first(maximumCollections, 'position', 'asc'), translation) : null,
    ])
  const again = matches.pagination.total === 0 ? await respelledSearch(visit, sort, shown) : null
  const content = {
    category,
    matches,
    categories,
    branch,
    facets,
    translateTerm,
    featured: featuredProducts,
    collections,
  }
  return { isPlain, isFront, collection, sort, again, ...content }
}

/** The home page, or the page that had the WordPress URL /?p=12. */
export async function frontPage(context: ShopContext): Promise<ShopResult> {
  const namesPage = ['p', 'page_id', 'product'].some((name) => context.query[name] !== undefined)
  const location = namesPage ? await redirectedAddress(context) : null
  return location === null ? home(context) : { status: 301, location }
}

export async function home(context: ShopContext): Promise<ShopResult> {
  const read = await runReads(context, readHome)
  const { isPlain, isFront, collection, category, sort, again, matches, facets, translateTerm } = read
  const location = category && findMove(context, category.entity)
  if (location) return { status: 301, location }
  const products = again?.products ?? matches
  // An empty list has one page.
  const { page, total_pages } = products.pagination
  if (page > Math.max(total_pages, 1)) throw notFound('Page')
  const heading = toListingHeading(category?.entity, collection?.entity)
  const shown = await withBundles(context, [...products.data, ...read.featured])
  return {
    page: listing(shown, {
      products,
      sort,
      heading,
      prose: heading?.description ? await renderProse(heading.description, context.root) : '',
      searched: again?.searched ?? readSearchText(context),
      searchText: readSearchText(context),
      isFront,
      categories: read.categories.data,
      branch: read.branch,
      featured: read.featured,
      collections: read.collections?.data ?? [],
      filters: isPlain ? '' : filterForm(context, again?.facets ?? facets, translateTerm),
    }),
  }
}

function toListingHeading(category?: PublicCategory, collection?: PublicCollection): Heading | null {
  if (category) return { ...category, path: `/categories/${category.path}` }
  return collection ? { ...collection, path: `/collections/${collection.slug}` } : null
}

const parents = Array.from({ length: maxLevels - 1 }, (_, index) => `parent${index + 1}`)

/** The paths of categories on each level: /categories/clothing/shirts. */
export const categoryPaths = [...parents.keys(), parents.length].map((levels) =>
  ['/categories', ...parents.slice(0, levels), 'category'].join('/:'),
)

/** The URL of a category that is not below the categories of the requested path. */
function findMove({ params, root, here }: ShopContext, { path }: PublicCategory): string | null {
  const above = parents.flatMap((name) => params[name] ?? [])
  const isHere = above.join('/') === path.split('/').slice(0, -1).join('/')
  return isHere ? null : `${root}/categories/${path}${here.includes('?') ? here.slice(here.indexOf('?')) : ''}`
}

function first(count: number, sort: string, order: 'asc' | 'desc'): ListQuery {
  return { page: 1, per_page: count, sort, order }
}

const allCategories = first(maxCategories, 'name', 'asc')
const topCategories: ListQuery = { ...allCategories, parent_id: 'none' }
const noBranch = { above: [], below: [] }

/** The price that filters are about, if the shop shows another than the catalog has. */
async function readShownPrice(visit: ShopVisit): Promise<Sql | null> {
  const { db, store, query } = visit
  if (store.tax_display === 'as_entered') return null
  const offer = await findOffer(db, store, { isForCheckout: false })
  return chooseTaxView(offer, store, readTaxWay(query.tax ?? shopCookies(visit).tax)).column()
}

type ProductSearch = { shown?: Sql | null; searchWords?: string }

/** Manual order for collections. */
export function readProducts(
  context: ShopVisit,
  sort: Sort,
  { shown = null, searchWords = readSearchText(context) }: ProductSearch = {},
): Promise<RecordPage<ProductCard>> {
  const { db, store, params, translation } = context
  const { query, within } = filterByShown(shown, readListQuery(context, sort, searchWords))
  if (sort !== 'manual' || params.collection === undefined)
    return readProductCards(db, store, query, translation, within)
  const byHand: ListQuery = { ...query, collection: undefined, order: 'asc' }
  return readPublicCollectionProducts(db, store, params.collection, byHand, translation, within)
}

/** The same list by the shown prices instead of those of the catalog. */
function filterByShown(shown: Sql | null, query: ListQuery): { query: ListQuery; within: Sql[] } {
  const { 'price[gte]': min, 'price[lte]': max, ...others } = query
  if (!shown || (min === undefined && max === undefined)) return { query, within: [] }
  const [least, most] = [min ?? 0, max ?? maxMoney]
  return { query: others as ListQuery, within: [sql`${shown} between ${least}::numeric and ${most}::numeric`] }
}

/** If nothing matches, searches for similar words of the shop. */
async function respelledSearch(context: ShopVisit, sort: Sort, shown: Sql | null) {
  const { db, store } = context
  const searchText = readSearchText(context)
  const correction = searchText === '' ? null : await correctSpelling(db, store.id, searchText)
  if (correction === null) return null
  const [products, facets] = await Promise.all([
    readProducts(context, sort, { shown, searchWords: correction }),
    countFacets(db, store, readListQuery(context, sort, correction), shown ?? undefined),
  ])
  return { products, facets, searched: correction }
}

function readPageNumber({ query }: ShopVisit): string {
  return /^[1-9]\d{0,5}$/.test(query.page ?? '') ? query.page! : '1'
}

function readListQuery(context: ShopVisit, sort: Sort, searchWords = readSearchText(context)): ListQuery {
  const { store, params } = context
  const { category, collection } = params
  const paging = { page: readPageNumber(context), per_page: String(perPage), ...sorts[sort] }
  const filters = {
    ...readShopFilters(context),
    ...(searchWords ? { words: searchWords } : {}),
    ...(category === undefined ? {} : { category: category.slice(0, 100) }),
    ...(collection === undefined ? {} : { collection: collection.slice(0, 100) }),
  }
  const read = publicProduct.query.read({ ...paging, ...filters }, store) as ListQuery
  return sort === 'relevance' && searchWords ? { ...read, sort } : read
}

export function readSearchText({ query }: ShopVisit): string {
  return (query.q ?? '').trim().slice(0, 100).toWellFormed()
}
