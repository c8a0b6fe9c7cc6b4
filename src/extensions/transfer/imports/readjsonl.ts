// JSONL: each line is an object. The columns are those of any row, so the file is read twice: once for them, and once
// for its rows.
import { isStorable } from '../../../kit/declare/storable.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { importFaults } from './errors.ts'
import {
  columnsNamed,
  maxColumns,
  maxRowLength,
  maxRows,
  rowTooLong,
  tooManyColumns,
  tooManyRows,
  type FileRow,
  type FileTable,
} from './table.ts'
import type { FileText } from './text.ts'

export async function readJsonl(text: FileText): Promise<FileTable> {
  const places = new Map<string, number>()
  let count = 0
  for await (const { line, content } of readFilledLines(text)) {
    if (++count > maxRows) throw tooManyRows()
    const object = objectOn(content, line)
    for (const name in object) {
      if (!places.has(name)) places.set(name, places.size)
      if (places.size > maxColumns) throw tooManyColumns()
    }
    if (!isStorable(object)) throw invalid(fault('file', importFaults.not_storable, { line }))
  }
  const columns = columnsNamed([...places.keys()])
  return { columns, isDecimalComma: false, isCsv: false, rows: readJsonRows(text, places, columns.length) }
}

async function* readJsonRows(
  text: FileText,
  places: ReadonlyMap<string, number>,
  width: number,
): AsyncGenerator<FileRow> {
  for await (const { line, content } of readFilledLines(text)) {
    const cells = Array.from({ length: width }, () => '')
    for (const [name, value] of Object.entries(objectOn(content, line))) {
      const place = places.get(name)!
      if (place < width) cells[place] = toCellText(value)
    }
    yield { line, cells }
  }
}

/** The lines that have something, with their numbers. */
async function* readFilledLines({ pieces }: FileText): AsyncGenerator<{ line: number; content: string }> {
  let [line, rest] = [1, '']
  for await (const piece of pieces()) {
    const lines = piece.split('\n')
    lines[0] = rest + lines[0]!
    rest = lines.pop()!
    for (const content of lines) {
      if (content.length > maxRowLength) throw rowTooLong(line)
      if (content.trim() !== '') yield { line, content }
      // A line may be empty, but not every one of them.
      if (++line > 2 * maxRows) throw tooManyRows()
    }
    if (rest.length > maxRowLength) throw rowTooLong(line)
  }
  if (rest.trim() !== '') yield { line, content: rest }
}

function objectOn(content: string, line: number): object {
  const value = parseJsonLine(content)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(fault('file', importFaults.not_jsonl, { line }))
  }
  return value
}

function parseJsonLine(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

/** Nested values keep their JSON. */
function toCellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
