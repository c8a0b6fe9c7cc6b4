// Reads a form with files (RFC 7578). Contents are views of the body, so that a large file is not copied, and the
// search for their ends gives other requests their turn.
import { nextSlice } from './slices.ts'

/** `filename` is null for a text. */
export type FormPart = { name: string; filename: string | null; content: Buffer }

/** As every client writes it: the name, then that of a file. */
const namePattern = /^content-disposition:[ \t]*form-data[ \t]*;[ \t]*name=("[^"]*"|[^;"\s]+)/i
const filenamePattern = /^;[ \t]*filename\*?=("[^"]*"|[^;"\s]+)/i

const windowBytes = 64 * 1024
const maxHeadBytes = 8 * 1024

export function readBoundary(contentType: string): string | null {
  return /^multipart\/form-data;.*\bboundary="?([^";]{1,70})/i.exec(contentType)?.[1]?.trimEnd() ?? null
}

/** The parts in their order. The caller stops when it has enough of them. Throws NotForm if the body is not whole. */
export async function* readFormParts(body: Buffer, boundary: string): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const first = delimiter.subarray(2)
  if (!body.subarray(0, first.length).equals(first)) throw new NotForm()
  for (let from = first.length; !startsWith(body, from, '--');) {
    if (!startsWith(body, from, '\r\n')) throw new NotForm()
    // A part without headers has its empty line at once.
    const headEnd = body.subarray(0, from + maxHeadBytes).indexOf('\r\n\r\n', from)
    const contentEnd = headEnd === -1 ? -1 : await find(body, delimiter, headEnd + 2)
    if (contentEnd === -1) throw new NotForm()
    const part = namesIn(body.toString('utf8', from + 2, headEnd))
    if (!part) throw new NotForm()
    yield { ...part, content: body.subarray(Math.min(headEnd + 4, contentEnd), contentEnd) }
    from = contentEnd + delimiter.length
  }
}

export class NotForm extends Error {}

function startsWith(body: Buffer, from: number, text: string): boolean {
  return body.toString('latin1', from, from + text.length) === text
}

/** Window by window: a boundary that resembles the text takes long to search for. */
async function find(body: Buffer, delimiter: Buffer, from: number): Promise<number> {
  for (let start = from; start < body.length; start += windowBytes) {
    const at = body.subarray(start, start + windowBytes + delimiter.length - 1).indexOf(delimiter)
    if (at !== -1) return start + at
    await nextSlice()
  }
  return -1
}

function namesIn(head: string): Omit<FormPart, 'content'> | null {
  const disposition = head.split('\r\n').find((line) => /^content-disposition:/i.test(line)) ?? ''
  const [begin, name] = namePattern.exec(disposition) ?? []
  if (begin === undefined) return null
  const [, filename] = filenamePattern.exec(disposition.slice(begin.length).trimStart()) ?? []
  return { name: unquote(name!), filename: filename === undefined ? null : unquote(filename) }
}

/** The name of a file without its folders; null if it has none that a text can hold. */
export function baseName(filename: string): string | null {
  const name = filename.split(/[\\/]/).at(-1)!.trim()
  return name === '' || name.includes('\0') ? null : name.slice(0, 255).toWellFormed()
}

/** Browsers escape exactly these three characters. */
function unquote(text: string): string {
  const inner = text.startsWith('"') ? text.slice(1, -1) : text
  return inner.replaceAll(/%(22|0D|0A)/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)))
}
