// Renders Markdown as safe HTML: without raw HTML, and with links and images from allowed sources only.
import MarkdownIt, { type RendererRule } from 'markdown-it'
import { LRUCache } from 'lru-cache'
import { resolveSiteAddress, isLink, isPicture } from './links.ts'

type MarkdownContext = { /** What the shop's paths begin with. */ root: string }

type HeadingLevel = (level: number) => number
type Markdown = InstanceType<typeof MarkdownIt>

const renderUnchanged: RendererRule = (tokens, index, options, _context, renderer) =>
  renderer.renderToken(tokens, index, options)

function buildMarkdownRenderer(options: { breaks: boolean }, levelOf: HeadingLevel): Markdown {
  const markdown = new MarkdownIt({ html: false, linkify: false, ...options })
  markdown.validateLink = (address) => isLink(address) || isPicture(address)
  const lowerHeading: RendererRule = (tokens, index, ...rest) => {
    const token = tokens[index]!
    token.tag = `h${Math.min(6, levelOf(Number(token.tag.slice(1))))}`
    return renderUnchanged(tokens, index, ...rest)
  }
  const { image } = markdown.renderer.rules
  Object.assign(markdown.renderer.rules, {
    heading_open: lowerHeading,
    heading_close: lowerHeading,
    link_open: (tokens, index, options, context, renderer) => {
      const token = tokens[index]!
      const address = String(token.attrGet('href'))
      token.attrSet('href', resolveSiteAddress((context as MarkdownContext).root, address))
      if (!address.startsWith('/')) token.attrSet('rel', 'noopener nofollow')
      return renderUnchanged(tokens, index, options, context, renderer)
    },
    image: (tokens, index, options, context, renderer) => {
      const token = tokens[index]!
      // The alternative text replaces an image that the pages' policy blocks.
      if (!isPicture(String(token.attrGet('src')))) return markdown.utils.escapeHtml(token.content)
      token.attrSet('loading', 'lazy')
      token.attrSet('referrerpolicy', 'no-referrer')
      return image!(tokens, index, options, context, renderer)
    },
  } satisfies Record<string, RendererRule>)
  return markdown
}

/** The page's title is above its headings. */
const pages = buildMarkdownRenderer({ breaks: false }, (level) => level + 1)

/** A description is below the heading "Description". An indented line is not code. */
const descriptions = buildMarkdownRenderer({ breaks: true }, (level) => Math.max(3, level + 1)).disable('code')

// Rendering 60 KB of marks takes 60 ms, and every view of a page needs it.
const renderCache = new LRUCache<string, string>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: (html, key) => html.length + key.length,
})

/** A page of the merchant. `context.root` precedes paths of the shop. */
export const markdownHtml = (text: string, context: MarkdownContext) => render(pages, 'page', text, context)

/** The description of a product, a category or a collection. */
export const proseHtml = (text: string, context: MarkdownContext) => render(descriptions, 'prose', text, context)

function render(markdown: Markdown, kind: string, text: string, context: MarkdownContext): string {
  const key = `${kind} ${context.root} ${text}`
  const html = renderCache.get(key) ?? markdown.render(text, context)
  renderCache.set(key, html)
  return html
}
