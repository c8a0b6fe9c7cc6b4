// Dependencies of image operations.
import type { Database } from '../../kit/database/database.ts'
import type { Log } from '../../platform/process/log.ts'
import { openImageWorker } from './imageworker.ts'
import type { MediaDeps } from './operations.ts'
import { openSizing } from './sizing.ts'
import { createStorage, type StorageSettings } from './storageconfig.ts'

type MediaSettings = StorageSettings & { MEDIA_MB_PER_STORE: number }

export function openMedia(
  db: Database,
  config: MediaSettings,
  log: Log,
  storage = createStorage(config),
): MediaDeps['media'] {
  const imageWorker = openImageWorker()
  const maxStoredBytes = config.MEDIA_MB_PER_STORE * 1e6
  return { storage, imageWorker, sizing: openSizing(db, storage, imageWorker, log), maxStoredBytes }
}
