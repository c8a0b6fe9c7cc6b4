// A merchant's own page in Markdown. Policies are a kind of page; every footer links them.
import type { Db, Tx } from '../../kit/database/database.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { conflict } from '../../kit/values/errors.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { pick } from '../../kit/declare/row.ts'
import { choice, flag, id, text, time } from '../../kit/declare/scalars.ts'
import type { Language } from '../../kit/values/language.ts'
import { buildSlug } from '../../kit/values/slug.ts'
import { sql } from '../../kit/database/sql.ts'
import { renewFace } from '../../tenancy/stores/operations.ts'
import type { CheckoutSetting } from '../../tenancy/stores/setting.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { inLanguages, buildTranslationFields, translatable } from '../../tenancy/stores/translations.ts'

export const policies = ['terms', 'privacy', 'returns', 'shipping'] as const

const maxSlug = 80
const slugForm = '^[a-z0-9]+(-[a-z0-9]+)*$'
const maxBody = 50_000

export function isSlug(text: string): boolean {
  return text.length <= maxSlug && new RegExp(slugForm).test(text)
}

// prettier-ignore
export const storePage = resource('pages', {
  id:              id('page').readonly(),
  kind:            choice(['page', ...policies]).default('page')
    .describe('Kind of page. A store has one policy of each kind, linked in the footer and at checkout'),
  title:           text({ min: 1, max: 120 }).required().sortable().example('About us'),
  slug:            text({ min: 1, max: maxSlug, pattern: slugForm }).example('about-us')
    .describe('Last part of the URL, /pages/{slug}. Defaults to one made from the title'),
  body:            text({ max: maxBody }).default('').example('We have been here since **1998**.')
    .describe('Content in Markdown (CommonMark and tables); HTML is shown as plain text'),
  is_published:    flag().default(true).describe('Whether the page is published'),
  seo_title:       text({ min: 1, max: 120 }).nullable().describe('Title for search engines. Defaults to the title'),
  seo_description: text({ min: 1, max: 320 }).nullable()
    .describe('Description for search engines. Defaults to the beginning of the page'),
  created_at:      time().readonly().sortable(),
  updated_at:      time().readonly(),
}, {
  kind: filter(choice(['page', ...policies]), (kind) => sql`pages.kind = ${kind}`),
}, { noun: 'Page', defaultSort: 'created_at', defaultOrder: 'asc' })

/** A policy as the footer of every page links it. */
export type PolicyLink = {
  kind: (typeof policies)[number]
  title: string
  slug: string
  titles: Partial<Record<Language, string | null>> | null
}

export const storePages: CheckoutSetting = {
  resource: storePage,
  path: '/pages',
  plural: 'pages',
  maximum: 200,
  complete: ({ title }) => ({ slug: buildSlug(title, newUuid(), maxSlug) }),
  refusals: ({ kind }) => ({
    pages_slug: () => conflict('A page with this slug already exists'),
    pages_kind: () => conflict(`A page of kind ${kind} already exists`),
  }),
  changed: pagesChanged,
}

/** Every footer links some of them, so cached pages change. */
export function pagesChanged(tx: Tx, { id }: Pick<Store, 'id'>): void {
  renewFace(tx, id)
}

// prettier-ignore
const publishedPage = resource('pages', pick(storePage.fields, [
  'id', 'kind', 'title', 'slug', 'body', 'seo_title', 'seo_description', 'updated_at',
]), {}, { noun: 'Page' })

export const pageTranslations = translatable(
  storePage,
  buildTranslationFields(storePage.fields, ['title', 'body', 'seo_title', 'seo_description']),
)

const pageIn = inLanguages(publishedPage, pageTranslations)

/** Published pages only. */
type PublishedPage = Entity<typeof publishedPage.fields>

export async function findPublishedPage(
  db: Db,
  storeId: string,
  slug: string,
  language: Language | null,
): Promise<PublishedPage | undefined> {
  const resource = language ? pageIn(language) : publishedPage
  const [row] = await db.texts(sql`
    select ${resource.columns}
    from pages
    where store_id = ${storeId}
      and slug = ${slug}
      and is_published`)
  return row && resource.read(row)
}

type PageAddress = { slug: string; title: string; updated_at: Date }

/** All published pages, for lists of the shop's pages. */
export async function listPageAddresses(db: Db, storeId: string, language: Language | null): Promise<PageAddress[]> {
  const resource = language ? pageIn(language) : publishedPage
  const rows = await db.texts(sql`
    select ${resource.columns}
    from pages
    where store_id = ${storeId}
      and is_published
    order by created_at, id`)
  return rows.map((row) => resource.read(row))
}
