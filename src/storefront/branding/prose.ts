// Descriptions of products, categories and collections: Markdown in which line breaks count.
import { html, raw } from 'hono/html'
import { isPlain } from '../../kit/values/markdown.ts'
import type { Html } from '../../platform/pages/page.ts'

/** Renders a description. Most have no marks and do not load the Markdown library. */
export async function renderProse(text: string, root: string): Promise<Html> {
  if (isPlain(text)) return html`${splitParagraphs(text).map(paragraph)}`
  const { proseHtml } = await import('./markdown.ts')
  return raw(proseHtml(text, { root }))
}

/** Splits at blank lines. */
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
