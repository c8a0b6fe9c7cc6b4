// Workbooks of LibreOffice and others: OpenDocument 1.3, Part 3. All sheets are in one part.
import type { FileRow } from '../table.ts'
import { Decimal } from '../../../../kit/values/money.ts'
import type { Archive } from './archive.ts'
import { collectCells, noValue, type Sheet } from './workbook.ts'
import { readXml, type Attributes, type XmlReader } from './xml.ts'

const content = 'content.xml'

export async function openOds(archive: Archive): Promise<Sheet[]> {
  const sheets = await Array.fromAsync(readXml(archive.open(content), listSheets))
  return sheets.map(({ name, isHidden, isFilled }, at) => ({
    name,
    isHidden,
    hasRows: async () => isFilled,
    rows: (onMerge) => readXml(archive.open(content), (emit) => readSheet({ wanted: at, name, emit, onMerge })),
  }))
}

function listSheets(emit: (sheet: { name: string; isHidden: boolean; isFilled: boolean }) => void): XmlReader {
  const hidden = new Set<string>()
  let style = ''
  let sheet = { name: '', isHidden: false, isFilled: false }
  return {
    text(piece) {
      if (piece.trim() !== '') sheet.isFilled = true
    },
    open(tag, attributes) {
      if (tag === 'style:style') style = attributes['style:name'] ?? ''
      else if (tag === 'style:table-properties' && attributes['table:display'] === 'false') hidden.add(style)
      else if (tag === 'table:table') {
        const isHidden = hidden.has(attributes['table:style-name'] ?? '')
        sheet = { name: attributes['table:name'] ?? '', isHidden, isFilled: false }
        emit(sheet)
      }
    },
  }
}

const repeats = (attributes: Attributes, name: string) => Math.max(1, Number(attributes[name]) || 1)

type OdsReading = { wanted: number; name: string; emit: (row: FileRow) => void; onMerge?: (() => void) | undefined }

const isMerged = (attributes: Attributes) =>
  repeats(attributes, 'table:number-columns-spanned') * repeats(attributes, 'table:number-rows-spanned') > 1

function readSheet({ wanted, name: sheet, emit, onMerge }: OdsReading): XmlReader {
  const cells = collectCells()
  let [at, line, column, text, texts, notes, rowTimes] = [-1, 0, 0, '', 0, 0, 1]
  let cell: Attributes = {}
  const endRow = () => {
    const row = cells.take(line + 1, rowTimes)
    for (let time = 0; row && time < rowTimes; time++) emit({ ...row, line: line + time + 1 })
    line += rowTimes
  }
  const endCell = () => {
    const times = repeats(cell, 'table:number-columns-repeated')
    if (cell['table:formula'] && text === '' && !cell['office:value-type']) throw noValue(`${line + 1}`, sheet)
    const value = formatCell(cell, text)
    for (let time = 0; value !== '' && time < times; time++) cells.put(column + time, value)
    column += times
  }
  return {
    open(tag, attributes) {
      if (tag === 'table:table') at++
      if (at !== wanted) return
      if (tag === 'table:table-row') {
        rowTimes = repeats(attributes, 'table:number-rows-repeated')
        column = 0
      } else if (tag === 'table:table-cell' || tag === 'table:covered-table-cell') {
        cell = tag === 'table:table-cell' ? attributes : { ...attributes, covered: '1' }
        text = ''
        texts = 0
        if (isMerged(attributes)) onMerge?.()
      } else if (tag === 'office:annotation') notes++
      else if (notes === 0) text += openText(tag, attributes, tag === 'text:p' ? texts++ : 0)
    },
    text(piece) {
      if (at === wanted && notes === 0 && texts > 0) text += piece
    },
    close(tag) {
      if (at !== wanted) return
      if (tag === 'office:annotation') notes--
      else if (tag === 'table:table-row') endRow()
      else if (tag === 'table:table-cell' || tag === 'table:covered-table-cell') endCell()
    },
  }
}

const maxSpaces = 10_000

/** Paragraphs are lines; spaces, tabs and line breaks are tags. */
function openText(tag: string, attributes: Attributes, paragraphs: number): string {
  if (tag === 'text:s') return ' '.repeat(Math.min(repeats(attributes, 'text:c'), maxSpaces))
  if (tag === 'text:tab') return '\t'
  return tag === 'text:line-break' || (tag === 'text:p' && paragraphs > 0) ? '\n' : ''
}

/** The value of a cell; of a number, the text that people see may have zeros in front. */
function formatCell(cell: Attributes, text: string): string {
  if (cell.covered) return ''
  const value = cell['office:value'] ?? ''
  switch (cell['office:value-type']) {
    case 'float':
      return /^0\d+$/.test(text) && Number(text) === Number(value) ? text : plain(value)
    case 'currency':
      return plain(value)
    case 'percentage':
      return `${new Decimal(plain(value)).times(100).toFixed()}%`
    case 'date':
      return (cell['office:date-value'] ?? text).replace('T', ' ')
    case 'boolean':
      return cell['office:boolean-value'] ?? text
    default:
      return text
  }
}

function plain(value: string): string {
  return /^-?[\d.]+(e[-+]?\d+)?$/i.test(value) ? new Decimal(value).toFixed() : value
}
