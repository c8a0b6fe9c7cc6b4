// A merchant's own page.
import { html, raw } from 'hono/html'
import { findPublishedPage } from '../branding/storepage.ts'
import { notFound } from '../../kit/values/errors.ts'
import { stripMarkdown } from '../../kit/values/markdown.ts'
import { renderMeta } from './frame/meta.ts'
import type { Html, ShopResult, ShopContext } from './frame/page.ts'
import { frame } from './frame/view.ts'

/** Loaded at the first visit of such a page. */
const markdown = () => import('../branding/markdown.ts')

export async function showStorePage(context: ShopContext): Promise<ShopResult> {
  const { db, store, params, translation } = context
  const page = await findPublishedPage(db, store.id, params.page!, translation)
  if (!page) throw notFound('Page')
  const { title, slug, body, seo_title, seo_description } = page
  const description = seo_description ?? (stripMarkdown(body.slice(0, 2000)) || title)
  return {
    page: frame(context, {
      title: seo_title ?? title,
      head: renderMeta(context, { title: seo_title ?? title, description, path: `/pages/${slug}` }),
      content: await article(context, { title, body }),
    }),
  }
}

export async function article(
  { root }: Pick<ShopContext, 'root'>,
  { title, body }: { title: string; body: string },
): Promise<Html> {
  const { markdownHtml } = await markdown()
  return html`<article class="prose"><h1>${title}</h1>
${raw(markdownHtml(body, { root }))}</article>`
}
