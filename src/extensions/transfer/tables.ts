import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { hasWord, listPersonWords } from '../../tenancy/tables/person.ts'
import { type Erase, table } from '../../tenancy/tables/table.ts'

const importLog = 'a log of its own; each record that it writes is noted as a write'

/** Rows of imported files that created or name the person's records keep only their outcome. */
const eraseImportRows: Erase = (tx, storeId, person) => {
  const records = [publicId('cus', person.id), ...person.orderIds.map((id) => publicId('ord', id))]
  tx.later(sql`
    update import_rows
    set cells = '[]', messages = '[]'
    where store_id = ${storeId}
      and (record_id = any(${records}) or ${hasWord(sql`lower(cells::text)`, listPersonWords(person))})`)
}

export const imports = table('imports', { audit: importLog, unforked: 'files with personal data' })

export const importRows = table('import_rows', {
  audit: importLog,
  unforked: 'files with personal data',
  erasure: eraseImportRows,
})

export const importPictures = table('import_pictures', { audit: importLog, unforked: 'files with personal data' })

export const importImages = table('import_images', {
  audit: 'what an import has left to do',
  unforked: 'files with personal data',
})
