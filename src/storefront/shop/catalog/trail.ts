// The categories above the page, as links.
import { html } from 'hono/html'
import type { PublicCategory } from '../../../commerce/catalog/publicgroups.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { getTextLanguage } from '../frame/langattributes.ts'
import type { Html, ShopContext } from '../frame/page.ts'

export function trail(context: ShopContext, categories: readonly PublicCategory[]): Html | '' {
  if (categories.length === 0) return ''
  const links = categories.map((category) => {
    const lang = getTextLanguage(context, category, 'name')
    const link = attributes({ href: `${context.root}/categories/${category.path}`, lang })
    return html`<li><a${link}>${category.name}</a></li>`
  })
  return html`<nav class="trail" aria-label="${context.t('breadcrumbs')}"><ol>${links}</ol></nav>`
}
