// Descriptions of products, categories and collections: Markdown in which line breaks count.
import { html, raw } from 'hono/html'
import { isPlain } from '../../kit/values/markdown.ts'
import type { Html } from '../../platform/pages/page.ts'

/** The paragraphs of a description. Most have no marks and are ready without the library, which loads when needed. */
export async function renderProse(text: string, root: string): Promise<Html> {
  if (isPlain(text)) return html`${splitParagraphs(text).map(paragraph)}`
  const { proseHtml } = await import('./markdown.ts')
  return raw(proseHtml(text, { root }))
}

/** Lines up to a blank one. */
function splitParagraphs(text: string): string[][] {
  const paragraphs: string[][] = [[]]
  for (const line of text.split('\n')) {
    if (line.trim()) paragraphs.at(-1)!.push(line)
    else paragraphs.push([])
  }
  return paragraphs.filter(({ length }) => length > 0)
}

function paragraph(lines: readonly string[]): Html {
  return html`<p>${lines.map((line, index) => (index === 0 ? line : html`<br>${line}`))}</p>`
}
