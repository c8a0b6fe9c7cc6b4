// Workbooks of Excel, and of other programs that write XLSX: ECMA-376, Part 1.
import path from 'node:path'
import type { FileRow } from '../table.ts'
import { brokenFile, type Archive } from './archive.ts'
import { formatNumber, readFormat, type NumberFormat } from './numbers.ts'
import { collectCells, noValue, readColumn, type Sheet } from './workbook.ts'
import { localName, readXml, scanXml, type Attributes, type XmlReader } from './xml.ts'

type Book = { is1904: boolean; texts: string[]; formats: NumberFormat[] }
type BookPart = { type: string; target: string }

export async function openXlsx(archive: Archive): Promise<Sheet[]> {
  const roots = await readRelations(archive, '')
  const place = [...roots.values()].find(({ type }) => type === 'officeDocument')?.target
  if (!place || !archive.has(place)) throw brokenFile()
  const relations = await readRelations(archive, place)
  const parts = [...relations.values()]
  const { is1904, sheets } = await readWorkbook(archive, place)
  const find = (type: string) => parts.find((part) => part.type === type && archive.has(part.target))?.target
  const [texts, styles] = [find('sharedStrings'), find('styles')]
  const book: Book = {
    is1904,
    texts: texts ? await Array.fromAsync(readXml(archive.open(texts), readTexts)) : [],
    formats: styles ? await readFormats(archive, styles) : [],
  }
  const worksheets = sheets.filter(({ id }) => relations.get(id)?.type === 'worksheet')
  // Two sheets of one part would be read twice.
  const places = new Set(worksheets.map(({ id }) => relations.get(id)!.target))
  if (places.size < worksheets.length) throw brokenFile()
  return worksheets.map(({ name, isHidden, id }) => {
    const place = relations.get(id)!.target
    const rows = (onMerge?: () => void) =>
      readXml<FileRow>(archive.open(place), (emit) => readSheet(book, { name, emit, onMerge }))
    return { name, isHidden, rows, hasRows: () => hasNext(rows()) }
  })
}

async function hasNext(rows: AsyncGenerator<FileRow, undefined>): Promise<boolean> {
  const { done } = await rows.next()
  await rows.return(undefined)
  return done !== true
}

/** The parts that a part refers to, by ID. */
async function readRelations(archive: Archive, owner: string): Promise<Map<string, BookPart>> {
  const relations = new Map<string, BookPart>()
  const folder = path.posix.dirname(owner)
  await scanXml(archive.open(path.posix.join(folder, '_rels', `${path.posix.basename(owner)}.rels`)), {
    open(name, { Id, Type = '', Target = '' }) {
      if (localName(name) !== 'Relationship' || !Id) return
      const target = Target.startsWith('/') ? Target.slice(1) : path.posix.join(folder, Target)
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target })
    },
  })
  return relations
}

async function readWorkbook(archive: Archive, place: string) {
  const sheets: { name: string; id: string; isHidden: boolean }[] = []
  let is1904 = false
  await scanXml(archive.open(place), {
    open(tag, attributes) {
      const { name = '', state = 'visible', date1904 } = attributes
      if (localName(tag) === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true'
      if (localName(tag) !== 'sheet') return
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
      sheets.push({ name, id, isHidden: state !== 'visible' })
    },
  })
  return { is1904, sheets }
}

/** The format of each style of a cell. */
async function readFormats(archive: Archive, place: string): Promise<NumberFormat[]> {
  const codes = new Map<string, string>()
  const formats: NumberFormat[] = []
  let isOfCells = false
  await scanXml(archive.open(place), {
    open(tag, { numFmtId = '0', formatCode = '' }) {
      const name = localName(tag)
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      else if (name === 'cellXfs') isOfCells = true
      else if (name === 'xf' && isOfCells) formats.push(readFormat(Number(numFmtId), codes.get(numFmtId)))
    },
    close(tag) {
      if (localName(tag) === 'cellXfs') isOfCells = false
    },
  })
  return formats
}

/** Texts that cells share. */
function readTexts(emit: (text: string) => void): XmlReader {
  const rich = collectText('si')
  return {
    open: rich.open,
    text: rich.text,
    close(tag) {
      rich.close(tag)
      if (localName(tag) === 'si') emit(rich.take())
    },
  }
}

/** A text in runs, each with a format of its own; how it is pronounced (`rPh`) is not part of it. */
function collectText(within: string) {
  let [text, isWithin, isText, isSpoken] = ['', false, false, false]
  return {
    open(tag: string) {
      const name = localName(tag)
      if (name === within) isWithin = true
      else if (name === 'rPh') isSpoken = true
      isText = name === 't'
    },
    text(piece: string) {
      if (isWithin && isText && !isSpoken) text += piece
    },
    close(tag: string) {
      const name = localName(tag)
      if (name === within) isWithin = false
      else if (name === 'rPh') isSpoken = false
      isText = false
    },
    take() {
      const whole = decodeEscapes(text)
      text = ''
      return whole
    },
  }
}

/** Signs that XML cannot have. */
function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text
  return text.replaceAll(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

type XlsxReading = { name: string; emit: (row: FileRow) => void; onMerge?: (() => void) | undefined }

function readSheet(book: Book, { name: sheet, emit, onMerge }: XlsxReading): XmlReader {
  const cells = collectCells()
  const rich = collectText('is')
  let [line, column, value, isValue] = [0, -1, '', false]
  let cell: Attributes = {}
  let has = { formula: false, value: false }
  const begin = (attributes: Attributes) => {
    cell = attributes
    has = { formula: false, value: false }
    value = ''
    column = attributes.r ? readColumn(attributes.r) : column + 1
  }
  return {
    open(tag, attributes) {
      const name = localName(tag)
      if (name === 'row') {
        line = attributes.r ? Number(attributes.r) : line + 1
        column = -1
      } else if (name === 'c') begin(attributes)
      else if (name === 'f') has.formula = true
      else if (name === 'v') {
        isValue = true
        has.value = true
      } else if (name === 'mergeCell') onMerge?.()
      else rich.open(tag)
    },
    text(piece) {
      if (isValue) value += piece
      else rich.text(piece)
    },
    close(tag) {
      const name = localName(tag)
      if (name === 'v') isValue = false
      else if (name === 'c') {
        const { r = '', t = 'n' } = cell
        if (has.formula && !has.value && t !== 'str') throw noValue(r, sheet)
        cells.put(column, t === 'inlineStr' ? rich.take() : formatCell(book, cell, value))
      } else if (name === 'row') {
        const row = cells.take(line)
        if (row) emit(row)
      } else rich.close(tag)
    },
  }
}

function formatCell({ texts, formats, is1904 }: Book, { t = 'n', s }: Attributes, value: string): string {
  switch (t) {
    case 's':
      return texts[Number(value)] ?? ''
    case 'b':
      return value === '1' ? 'true' : value === '' ? '' : 'false'
    case 'n':
      return formatNumber(value, formats[Number(s ?? 0)] ?? 'plain', is1904)
    case 'd':
      return value
    default:
      return decodeEscapes(value)
  }
}
