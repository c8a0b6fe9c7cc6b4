// GET /glossary: what the words of the API and of the dashboard mean, from docs/glossary.md.
import { readFile } from 'node:fs/promises'
import { html, raw } from 'hono/html'
import { assetPath } from '../platform/pages/assets.ts'
import { document } from '../platform/pages/frame.ts'
import type { Html } from '../platform/pages/page.ts'

const file = new URL('../../docs/glossary.md', import.meta.url)

let page: Promise<Html> | undefined

/** It is in English, like the API. */
export function glossaryPage(): Promise<Html> {
  page ??= readPage()
  return page
}

async function readPage(): Promise<Html> {
  const { default: MarkdownIt } = await import('markdown-it')
  const text = await readFile(file, 'utf8')
  const markdown = new MarkdownIt({ html: false })
  // The links between documents lead nowhere here.
  markdown.renderer.rules.link_open = markdown.renderer.rules.link_close = () => ''
  return document('en', {
    title: 'Glossary',
    styles: [assetPath('card.css')],
    body: html`<main class="wide" tabindex="0">${raw(markdown.render(text))}</main>`,
  })
}
