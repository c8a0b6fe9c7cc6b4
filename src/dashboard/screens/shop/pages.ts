// Shop > Pages and Shop > Policies: Markdown with a preview.
import { html } from 'hono/html'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { policies, storePage } from '../../../storefront/branding/storepage.ts'
import { previewPage } from '../../../storefront/shop/preview.ts'
import { field } from '../../../platform/pages/form.ts'
import { previewButton, renderWithPreview } from '../../framework/livepreview.ts'
import type { Html, FormInput, PageResult, Screen, PageContext } from '../../framework/screen.ts'
import { mark } from '../../framework/parts.ts'
import { newScreen, recordPath, settingScreens, type SettingListProps } from '../../framework/settinglist.ts'
import { searchPreview } from '../../framework/searchpreview.ts'
import { translationLinks, translationScreens } from '../../framework/translations.ts'

const path = '/shop/pages'

// prettier-ignore
const inputs: FormInput[] = [
  { name: 'title' },
  { name: 'body', label: 'page_body', hint: 'markdown_hint', as: 'markdown', rows: 18 },
  { name: 'is_published' },
  { name: 'slug', label: 'page_slug', hint: 'page_slug_hint', group: 'seo' },
  { name: 'seo_title', hint: 'seo_title_hint' },
  { name: 'seo_description', hint: 'seo_description_hint', as: 'area', rows: 2 },
]

// prettier-ignore
const pages: SettingListProps<typeof storePage.fields> = {
  path, title: 'store_pages', section: 'shop', api: '/pages', nav: {},
  resource: storePage,
  narrow: sql`pages.kind = 'page'`,
  empty: { title: 'pages_none', text: 'pages_none_text' },
  add: 'page_add',
  defaults: { is_published: true },
  inputs,
  nameOf: ({ title }) => title,
  marks: ({ is_published }, { t }) => (is_published ? '' : mark(t('page_hidden'), 'warn')),
  about: ({ slug }) => `/pages/${slug}`,
  more: (context, page) =>
    searchPreview(context, page && { ...page, name: page.title, description: page.body }, 'pages'),
  around: renderWithPreview,
  beside: previewButton,
  preview,
  after: (context, { slug, is_published }) => html`${is_published ? pageLink(context, slug) : ''}
${translationLinks(context, `${path}/${context.params.id!}/translations`)}`,
}

function pageLink({ t, store }: PageContext, slug: string): Html {
  return html`<p><a href="${store.storefront_url}/pages/${slug}" target="_blank">${t('page_see')}</a></p>`
}

/** Previews the submitted form, or the saved page. */
async function preview(context: PageContext): Promise<PageResult> {
  const { form, db, store, ids } = context
  const isSubmitted = Object.keys(form).length > 0
  const page = ids.id ? (await findRecord(db, storePage, store.id, ids.id)).entity : { title: '', body: '' }
  const { title, body } = isSubmitted ? { title: field(form, 'title'), body: field(form, 'body') } : page
  return { page: await previewPage(context, { title, body }) }
}

export const pageScreens: Screen[] = settingScreens(pages)

export const policyScreen: Screen = {
  path: '/shop/policies',
  title: 'policies',
  section: 'shop',
  nav: {},
  scope: 'read:store',
  async show(context) {
    const { db, store, t, base } = context
    const query = { page: 1, per_page: 10, sort: 'created_at', order: 'asc' } as const
    const { data } = await entityPage(db, storePage, store, query, sql`pages.kind <> 'page'`)
    const rows = policies.map((kind) => {
      const page = data.find((page) => page.kind === kind)
      const to = page ? recordPath(pages, page.id) : `/shop/policies/${kind}`
      const state = !page ? mark(t('policy_none'), 'plain') : page.is_published ? '' : mark(t('page_hidden'), 'warn')
      return html`<li><div><p><a class="main" href="${base}${to}">${t(`policy_${kind}`)}</a> ${state}</p>
${page ? html`<p class="hint">${page.title}</p>` : ''}</div></li>`
    })
    return {
      content: html`<p class="hint">${t('policies_text')}</p>
<ul class="records" aria-label="${t('policies')}">${rows}</ul>`,
    }
  },
}

/** One screen for each kind of policy. */
export const newPolicyScreens: Screen[] = policies.map((kind) => ({
  ...newScreen({
    ...pages,
    at: `/shop/policies/${kind}`,
    to: '/shop/policies',
    add: `policy_${kind}`,
    button: 'save',
    defaultsFor: ({ t }) => ({ title: t(`policy_${kind}`) }),
    body: { kind },
  }),
  within: { path: '/shop/policies', title: 'policies' },
}))

export const pageTranslationScreens = translationScreens({
  path: `${path}/{id}/translations`,
  api: '/pages/{id}/translations',
  section: 'shop',
  within: { path: recordPath(pages), title: 'store_pages' },
  params: { id: storePage },
  texts: [
    { name: 'title', label: 'title' },
    { name: 'body', label: 'page_body', hint: 'markdown_hint', as: 'markdown', rows: 18 },
    { name: 'seo_title', label: 'seo_title' },
    { name: 'seo_description', label: 'seo_description', as: 'area', rows: 2 },
  ],
  own: async ({ db, store, ids }) => (await findRecord(db, storePage, store.id, ids.id!)).entity,
})
