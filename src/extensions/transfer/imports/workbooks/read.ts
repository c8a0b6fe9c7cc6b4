// A workbook as a table: the first sheet that people see and that has something. The others are named.
import { invalid } from '../../../../kit/values/errors.ts'
import { fault } from '../../../../kit/values/faults.ts'
import { importFaults } from '../errors.ts'
import { tabulate } from '../readcsv.ts'
import type { FileTable } from '../table.ts'
import type { Archive } from './archive.ts'
import { openOds } from './ods.ts'
import { openXlsx } from './xlsx.ts'
import type { Sheet } from './workbook.ts'

const odsType = 'application/vnd.oasis.opendocument.spreadsheet'

export function isWorkbook(archive: Archive): boolean {
  return archive.has('[Content_Types].xml') || archive.has('mimetype')
}

export async function readWorkbook(archive: Archive, requested: string | undefined): Promise<FileTable> {
  const sheets = await openSheets(archive)
  const visible = sheets.filter(({ isHidden }) => !isHidden)
  const filled = await Array.fromAsync(listFilled(visible))
  const sheet = requested === undefined ? filled[0] : sheets.find(({ name }) => name === requested)
  if (requested !== undefined && !sheet) {
    const names = sheets.map(({ name }) => name).join(', ')
    throw invalid(fault('sheet', importFaults.sheet_unknown, { names: names.slice(0, 500) }))
  }
  if (!sheet) throw invalid(fault('file', importFaults.file_empty))
  const others = filled.filter((one) => one !== sheet).map(({ name }) => name)
  const hidden = sheets.filter((one) => one.isHidden && one !== sheet).map(({ name }) => name)
  const notes = describeSheets(sheet.name, others, hidden)
  const merged = 'The sheet has merged cells: what is in them counts for the first one alone'
  // Its merged cells come behind its rows.
  const rows = sheet.rows(() => {
    if (!notes.includes(merged)) notes.push(merged)
  })
  return { ...(await tabulate(rows)), isDecimalComma: false, isCsv: false, notes }
}

async function openSheets(archive: Archive): Promise<Sheet[]> {
  if (archive.has('mimetype')) {
    if ((await archive.readText('mimetype')).trim() !== odsType) throw invalid(fault('file', importFaults.is_archive))
    const manifest = 'META-INF/manifest.xml'
    const isEncrypted = archive.has(manifest) && (await archive.readText(manifest)).includes('encryption-data')
    if (isEncrypted) throw invalid(fault('file', importFaults.has_password))
    return openOds(archive)
  }
  if (!archive.has('[Content_Types].xml') || archive.has('xl/workbook.bin'))
    throw invalid(fault('file', importFaults.is_archive))
  return openXlsx(archive)
}

async function* listFilled(sheets: readonly Sheet[]): AsyncGenerator<Sheet> {
  for (const sheet of sheets) if (await sheet.hasRows()) yield sheet
}

function describeSheets(name: string, others: readonly string[], hidden: readonly string[]): string[] {
  return [
    ...(others.length > 0 ? [`Only the sheet ${name} is read, not ${others.join(', ')}`] : []),
    ...(hidden.length > 0 ? [`Hidden sheets are left out: ${hidden.join(', ')}`] : []),
  ].map((note) => note.replaceAll('\0', '').toWellFormed().slice(0, 500).toWellFormed())
}
