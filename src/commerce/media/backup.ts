// Image files for backups of the database, and for restoring them; and those of extensions.
import { listStoredFiles, typeOfStoredFile } from '../../tenancy/extensions/storedfiles.ts'
import type { BackupFiles } from '../../platform/postgres/backup.ts'
import { listPictureKeys, parsePictureName } from './picture.ts'
import type { Storage } from './storage.ts'

/** Image files of one store or of all. Originals come first: once one is deleted, all its renditions exist. */
export function openPictureBackup(storage: Storage, storeId?: string): BackupFiles {
  const ofStore = storeId === undefined ? { where: '', values: [] } : { where: 'and store_id = $1', values: [storeId] }
  return {
    async namesOf(client) {
      const { rows } = await client.query<{ store_id: string; name: string }>(
        `select store_id, hash || '-' || width || 'x' || height || '-' || colour as name
        from media
        where status <> 'failed'
          ${ofStore.where}
        order by store_id, id`,
        ofStore.values,
      )
      // Skips a row with an unknown name, so that it cannot block the backup of other stores.
      const pictures = rows.values().flatMap(({ store_id, name }) => {
        const picture = parsePictureName(name)
        return picture ? listPictureKeys(store_id, picture) : []
      })
      const others = await listStoredFiles(client, storeId)
      return others.length === 0 ? pictures : [...pictures, ...others]
    },
    get: (name) => storage.get(name),
    put: async (name, bytes) => storage.put(name, bytes, requireFileType(name)),
  }
}

/** Names come from the backup, so only valid names of files are written. */
export function requireFileType(name: string): string {
  const added = typeOfStoredFile(name)
  if (added) return added
  const [storeId = '', folder = '', file = ''] = name.split('/')
  const picture = parsePictureName(folder)
  const isOurs = picture && /^[A-Z]{2}-[0-9A-Z]{8}$/.test(storeId) && listPictureKeys(storeId, picture).includes(name)
  if (!isOurs) throw new Error(`its file ${JSON.stringify(name)} is not a file of a store`)
  if (file.endsWith('.webp')) return 'image/webp'
  return file.endsWith('.jpg') ? 'image/jpeg' : 'application/octet-stream'
}
