// Pictures that come in the archive of an import. Until they are the store's own, products have an address for them
// that leads nowhere.
import type { StoreDatabase } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { FileSent } from '../../../kit/declare/route.ts'
import type { MappedColumn } from './record.ts'
import type { Pictures } from './workbooks/package.ts'

const address = 'https://import.invalid/'
const imageFields = ['image_url', 'images', 'image', 'main_image']

export type PictureCells = {
  /** The cells of a row, with addresses in place of the names of pictures. */
  replace: (cells: string[]) => string[]
  /** The pictures that cells have named. */
  names: ReadonlySet<string>
}

export function createPictureCells(pictures: Pictures, columns: readonly MappedColumn[]): PictureCells {
  const names = new Set<string>()
  const places = columns.flatMap(({ field }, place) => (field && imageFields.includes(field) ? place : []))
  const find = (text: string) => {
    const name = pictures.find(text)
    if (name === null) return null
    names.add(name)
    return address + encodeURIComponent(name)
  }
  const replaceCell = (cell: string) => {
    if (cell.trim() === '') return cell
    const replaceWords = (part: string) =>
      part
        .split(/(\s+)/)
        .map((word) => find(word) ?? word)
        .join('')
    return (
      find(cell) ??
      cell
        .split(/([,;|\n]+)/)
        .map((part) => find(part) ?? replaceWords(part))
        .join('')
    )
  }
  return { names, replace: (cells) => cells.map((cell, place) => (places.includes(place) ? replaceCell(cell) : cell)) }
}

/** One after the other: each may be large. */
export async function storePictures(
  db: StoreDatabase,
  storeId: string,
  id: string,
  { read }: Pictures,
  names: Iterable<string>,
): Promise<void> {
  for (const name of names) {
    const bytes = await read(name)
    await db.transaction(async (tx) => {
      tx.later(sql`
        insert into import_pictures (store_id, import_id, name, bytes)
        values (${storeId}, ${id}, ${name}, ${bytes})`)
    })
  }
}

/** The picture of an address; null if the address is one of the web. */
export async function findPicture(
  db: StoreDatabase,
  storeId: string,
  importId: string,
  url: string,
): Promise<FileSent | null> {
  if (!url.startsWith(address)) return null
  const name = decodeURIComponent(url.slice(address.length))
  const row = await db.one<{ bytes: Buffer }>(sql`
    select bytes
    from import_pictures
    where store_id = ${storeId}
      and import_id = ${importId}
      and name = ${name}`)
  return row ? { bytes: row.bytes, name } : null
}
