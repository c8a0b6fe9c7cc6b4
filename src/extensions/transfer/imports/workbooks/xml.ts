// XML of a workbook, read piece by piece: no more of it is in memory than the items that a piece completes.
import sax, { type SAXParser, type Tag } from 'sax'
import { ApiError } from '../../../../kit/values/errors.ts'
import { nextSlice } from '../../../../kit/values/slices.ts'
import { brokenFile } from './archive.ts'

export type Attributes = Readonly<Record<string, string>>

/** What a part of a workbook means; `emit` gives an item away. */
export type XmlReader = {
  open?: (name: string, attributes: Attributes) => void
  text?: (text: string) => void
  close?: (name: string) => void
}

const maxDepth = 200
const maxAttributes = 200
const pieceBytes = 65_536

export async function* readXml<T>(
  bytes: AsyncIterable<Buffer>,
  createReader: (emit: (item: T) => void) => XmlReader,
): AsyncGenerator<T, undefined> {
  let items: T[] = []
  const parser = createParser(createReader((item) => items.push(item)))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      refuseBroken(() => parser.write(decoder.decode(chunk.subarray(from, from + pieceBytes), { stream: true })))
      yield* items
      items = []
      await nextSlice()
    }
  }
  refuseBroken(() => parser.close())
  yield* items
  return undefined
}

/** Reads the whole of a small part. */
export async function scanXml(bytes: AsyncIterable<Buffer>, reader: XmlReader): Promise<void> {
  await Array.fromAsync(readXml(bytes, () => reader))
}

function createParser({ open, text, close }: XmlReader): SAXParser {
  const parser = sax.parser(true)
  let depth = 0
  let attributes = 0
  Object.assign(parser, {
    onattribute: () => {
      if (++attributes > maxAttributes) throw brokenFile()
    },
    onopentag({ name, attributes: own }: Tag) {
      attributes = 0
      if (++depth > maxDepth) throw brokenFile()
      open?.(name, own)
    },
    ontext: text,
    oncdata: text,
    onclosetag(name: string) {
      depth--
      close?.(name)
    },
    onerror(error: Error) {
      throw error
    },
  })
  return parser
}

function refuseBroken(read: () => void): void {
  try {
    read()
  } catch (error) {
    throw error instanceof ApiError ? error : brokenFile()
  }
}

/** `x:row` is a `row`. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
