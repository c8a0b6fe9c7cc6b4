// Files in the storage of images that rows of extensions name. Backups and archives contain them.
import { storeIdForm } from '../../kit/values/ids.ts'

type Client = { query<R extends object>(text: string, values: unknown[]): Promise<{ rows: R[] }> }

export type StoredFiles = {
  /** The folder in that of a store: MX-0A1B2C3D/downloads/… */
  folder: string
  /** The files of the folder. */
  form: RegExp
  /** SQL of the files: store_id and name, the file in the folder. */
  rows: string
}

const added: StoredFiles[] = []

export function addStoredFiles(files: StoredFiles): void {
  added.push(files)
}

/** The keys of the files of a store, or of all. */
export async function listStoredFiles(client: Client, storeId?: string): Promise<string[]> {
  const keys: string[] = []
  for (const { folder, rows: query } of added) {
    const own = storeId === undefined ? '' : 'where store_id = $1'
    const text = `select store_id, name from (${query}) as stored ${own}`
    const values = storeId === undefined ? [] : [storeId]
    const { rows } = await client.query<{ store_id: string; name: string }>(text, values)
    for (const { store_id, name } of rows) keys.push(`${store_id}/${folder}/${name}`)
  }
  return keys
}

/** The type of a file with such a key; null for any other key. */
export function typeOfStoredFile(key: string): string | null {
  const [storeId = '', folder, name = '', ...more] = key.split('/')
  const isOwn = added.some((one) => one.folder === folder && one.form.test(name))
  return isOwn && more.length === 0 && storeIdForm.test(storeId) ? 'application/octet-stream' : null
}
