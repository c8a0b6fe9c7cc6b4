// The HTML of other systems as Markdown, which the shop shows without any HTML.
import type Turndown from 'turndown'
import { lazy } from '../../../kit/values/lazy.ts'

/** Text without tags is unchanged. `hasLines`: the ends of lines count too, as WordPress stores its texts. */
export type ToMarkdown = (html: string, hasLines?: boolean) => string

type Tag = {
  nodeName: string
  parentNode: Tag | null
  getAttribute: (name: string) => string | null
  querySelector: (name: string) => Tag | null
}

export const loadMarkdown = lazy(async (): Promise<ToMarkdown> => {
  const { default: Service } = await import('turndown')
  const service = new Service({ headingStyle: 'atx', bulletListMarker: '-', codeBlockStyle: 'fenced' })
  service.remove(['script', 'style', 'object', 'noscript', 'form'])
  addTables(service)
  service.addRule('media', { filter: ['iframe', 'video', 'embed'], replacement: (_, node) => linkMedia(node as Tag) })
  return (html, hasLines = false) => {
    if (html.length > maxHtml || !/<[a-z!/]|&[a-z#]\w*;/i.test(html)) return html
    const plain = html.replaceAll(/[\uE000\uE001]/g, '')
    try {
      return service.turndown(hasLines ? markLines(plain) : plain).trim()
    } catch (error) {
      // It is nested deeper than the stack of calls.
      if (error instanceof RangeError) return html
      throw error
    }
  }
})

/** Text beyond this length is also too long as Markdown. */
const maxHtml = 250_000

/** An empty line begins a paragraph; a single end of a line between tags arranges them. */
function markLines(html: string): string {
  const lines = html.split('\n').map((line) => line.trimEnd())
  return lines
    .join('\n')
    .replaceAll(/\n{2,}/g, '\n<p>')
    .replaceAll(/(?<=[^>])\n(?=[^<\s])/g, '<br>')
}

/** Begin a row and a cell until their table is complete. */
const rowMark = '\uE000'
const cellMark = '\uE001'
const maxTableColumns = 50

function addTables(service: Turndown): void {
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node) => {
      const span = Math.min(Number((node as Tag).getAttribute('colspan')) || 1, maxTableColumns)
      return `${cellMark}${content.trim()}${cellMark.repeat(Math.max(0, span - 1))}`
    },
  })
  service.addRule('row', { filter: 'tr', replacement: (content) => `${rowMark}${content}` })
  service.addRule('rows', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
  service.addRule('table', {
    filter: 'table',
    replacement: (content, node) => `\n\n${formatTable(content, node as Tag)}\n\n`,
  })
}

/** Its first row has the headings. A table of a single column arranges a page, and one in a cell becomes its text. */
function formatTable(content: string, node: Tag): string {
  const [caption = '', ...rows] = content.split(rowMark)
  const cells = rows.map((row) =>
    row
      .split(cellMark)
      .slice(1)
      .map((cell) => cell.trim()),
  )
  const columns = Math.max(0, ...cells.map((row) => row.length))
  if (columns < 2) return [caption, ...cells.flat()].filter((text) => text !== '').join('\n\n')
  if (isInCell(node) || columns > maxTableColumns) return cells.map((row) => row.join(' ')).join('\n')
  const lines = cells.map((row) => {
    const texts = Array.from({ length: columns }, (_, at) => joinLines(row[at] ?? ''))
    return `| ${texts.map((text) => text.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  })
  const [head, ...rest] = lines
  const table = [head, `|${' --- |'.repeat(columns)}`, ...rest].join('\n')
  return caption.trim() === '' ? table : `${caption.trim()}\n\n${table}`
}

function joinLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

function isInCell(node: Tag): boolean {
  for (let one = node.parentNode; one; one = one.parentNode) if (/^t[dh]$/i.test(one.nodeName)) return true
  return false
}

/** A video, or what else another site shows in the page, becomes a link to it. */
function linkMedia(node: Tag): string {
  const source = node.getAttribute('src') ?? node.querySelector('source')?.getAttribute('src') ?? ''
  const url = URL.parse(source.startsWith('//') ? `https:${source}` : source)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return ''
  const title = node
    .getAttribute('title')
    ?.replaceAll(/[[\]\s]+/g, ' ')
    .trim()
  const isVideo = node.nodeName === 'VIDEO' || videoPlayers.some(([player]) => player.test(url.href))
  const address = videoPlayers.reduce((href, [player, page]) => href.replace(player, page), url.href)
  const link = address.replaceAll('(', '%28').replaceAll(')', '%29')
  return `\n\n[${title || (isVideo ? 'Video' : url.hostname)}](${link})\n\n`
}

/** The player of a video, and its page. */
const videoPlayers: readonly (readonly [player: RegExp, page: string])[] = [
  [/^https?:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]{1,20}).*$/, 'https://www.youtube.com/watch?v=$1'],
  [/^https?:\/\/player\.vimeo\.com\/video\/(\d{1,20}).*$/, 'https://vimeo.com/$1'],
]
