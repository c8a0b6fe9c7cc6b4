// Searching the catalog, looking products up, and reading one.
import type { Db } from '../../../kit/database/database.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { toUuid, isUuid } from '../../../kit/values/ids.ts'
import {
  findProductsForSale,
  findPublicProduct,
  publicProduct,
  readPublicProducts,
  type PublicProduct,
  type TextLanguage,
} from '../../../commerce/catalog/public.ts'
import { withTerms } from '../../../commerce/catalog/translations.ts'
import { majorUnits } from '../amounts.ts'
import { errorMessage } from '../messages.ts'
import { Problem, Refusal } from '../problems.ts'
import { textLanguage, type Visit } from '../visit.ts'
import { chooseVariants } from './choice.ts'
import {
  maxIds,
  perPage,
  type CatalogFilters,
  type LookupInput,
  type ProductInput,
  type SearchInput,
} from './inputs.ts'
import { isAvailable, toUcpProduct, type UcpProduct, type UcpVariant } from './product.ts'

const maxVariants = 10

export async function searchCatalog({ db, store }: Visit, input: SearchInput): Promise<object> {
  const { query, filters, pagination } = input
  if (!query?.trim() && !hasFilter(filters)) throw new Problem('invalid_request', 'Search needs a query or a filter')
  const { page, per_page } = readCatalogPage(pagination)
  const language = textLanguage(store, input.context ?? undefined)
  const wantedQuery = publicProduct.query.read(
    {
      page,
      per_page,
      ...(query?.trim() ? { words: query.trim() } : {}),
      ...toCatalogConditions(filters, store.currency),
    },
    store,
  )
  const { data, pagination: pageFound } = await readPublicProducts(db, store, wantedQuery, language)
  const hasNext = page < pageFound.total_pages
  return {
    products: data.map((product) => {
      const whole = toUcpProduct(translateProduct(product), { db, store })
      return { ...whole, variants: filterVariants(whole.variants, filters).slice(0, maxVariants) }
    }),
    pagination: {
      has_next_page: hasNext,
      total_count: pageFound.total,
      ...(hasNext ? { cursor: `${page + 1}.${per_page}` } : {}),
    },
  }
}

function hasFilter(filters: CatalogFilters): boolean {
  return Boolean(filters && (filters.categories?.length || filters.price || filters.available !== undefined))
}

/** Reads a cursor: a page and its size. */
function readCatalogPage(pagination: SearchInput['pagination']): { page: number; per_page: number } {
  const { cursor, limit } = pagination ?? {}
  if (!cursor) return { page: 1, per_page: perPage(limit) }
  const [, page, size] = /^([1-9]\d{0,5})\.([1-9]\d?)$/.exec(cursor) ?? []
  if (!page) throw new Problem('invalid_request', 'pagination.cursor is not one of ours')
  return { page: Number(page), per_page: perPage(Number(size)) }
}

function toCatalogConditions(filters: CatalogFilters, currency: string): Record<string, unknown> {
  const { categories, price, available } = filters ?? {}
  return {
    ...(categories?.length ? { category: categories[0] } : {}),
    ...(price?.min === undefined ? {} : { 'price[gte]': majorUnits(price.min, currency) }),
    ...(price?.max === undefined ? {} : { 'price[lte]': majorUnits(price.max, currency) }),
    ...(available ? { in_stock: true } : {}),
  }
}

export async function lookUpCatalog({ db, store }: Visit, input: LookupInput): Promise<object> {
  if (input.ids.length > maxIds) {
    throw new Problem('request_too_large', `A lookup takes ${maxIds} IDs at most`, {}, 400)
  }
  const ids = [...new Set(input.ids)]
  const language = textLanguage(store, input.context ?? undefined)
  const products = await findProductsForSale(db, store, namedBy(ids), language)
  const views = products.map((product) => toUcpProduct(translateProduct(product), { db, store }))
  const ownViews = views
    .map((product) => ({ ...product, variants: correlateVariants(product, ids) }))
    .map((product) => ({ ...product, variants: filterVariants(product.variants, input.filters) }))
    .filter(({ variants }) => variants.length > 0)
  const foundIds = new Set(views.flatMap(({ id, variants }) => [id, ...variants.map((variant) => variant.id)]))
  const missing = ids.filter((id) => !foundIds.has(id.toLowerCase()))
  return {
    products: ownViews,
    ...(missing.length > 0
      ? { messages: missing.map((id) => ({ type: 'info', code: 'not_found', content: `${id} is not for sale here` })) }
      : {}),
  }
}

/** A product's ID names its first variant; a variant's ID names the variant. */
function correlateVariants({ id, variants }: UcpProduct, ids: readonly string[]): UcpVariant[] {
  const listMatchedInputs = (variant: UcpVariant, at: number) =>
    ids.flatMap((requestedId): NonNullable<UcpVariant['inputs']> => {
      if (requestedId.toLowerCase() === variant.id) return [{ id: requestedId, match: 'exact' }]
      return at === 0 && requestedId === id ? [{ id: requestedId, match: 'featured' }] : []
    })
  return variants
    .map((variant, at) => ({ ...variant, inputs: listMatchedInputs(variant, at) }))
    .filter(({ inputs }) => inputs.length > 0)
}

export async function getProduct({ db, store }: Visit, input: ProductInput): Promise<object> {
  const { id, selected, preferences } = input
  const language = textLanguage(store, input.context ?? undefined)
  const product = await findNamed(db, store, id, language)
  const whole = chooseVariants(toUcpProduct(translateProduct(product), { db, store }), {
    id: id.toLowerCase(),
    selected: selected ?? [],
    preferences: preferences ?? [],
  })
  const variants = filterVariants(whole.variants, input.filters)
  if (variants.length === 0) throw notForSale(id)
  return { product: { ...whole, variants } }
}

/** Takes one statement for a product's own ID, and two for a variant's. */
async function findNamed(db: Db, store: Store, id: string, language: TextLanguage): Promise<PublicProduct> {
  const { products, variants } = namedBy([id])
  const refuse = (error: unknown) => Promise.reject(isNotFound(error) ? notForSale(id) : error)
  if (products.length > 0) return findPublicProduct(db, store, id, language).then(({ entity }) => entity, refuse)
  const [product] = await findProductsForSale(db, store, { products, variants }, language)
  if (!product) throw notForSale(id)
  return product
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

function notForSale(id: string): Refusal {
  return new Refusal(errorMessage('not_found', `${id} is not for sale here`, { severity: 'unrecoverable' }))
}

function namedBy(ids: readonly string[]): { products: string[]; variants: string[] } {
  return {
    products: ids.map((id) => toUuid('prod', id)).filter((uuid) => uuid !== null),
    variants: ids.filter(isUuid).map((id) => id.toLowerCase()),
  }
}

/** Applies the conditions of a search to each variant. */
function filterVariants(variants: readonly UcpVariant[], filters: CatalogFilters): UcpVariant[] {
  const { price, available } = filters ?? {}
  return variants.filter(
    (variant) =>
      (price?.min === undefined || variant.price.amount >= price.min) &&
      (price?.max === undefined || variant.price.amount <= price.max) &&
      (!available || isAvailable(variant)),
  )
}

function translateProduct(product: PublicProduct): PublicProduct {
  return withTerms(product) as PublicProduct
}
