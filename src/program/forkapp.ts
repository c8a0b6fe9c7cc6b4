// The differences between the app of a fork and that of the service.
import path from 'node:path'
import { folderStorage } from '../commerce/media/folder.ts'
import type { Storage } from '../commerce/media/storage.ts'
import { createStorage } from '../commerce/media/storageconfig.ts'
import { forksPath } from '../developer/forks/fork.ts'
import type { ForkOpening } from '../developer/forks/running/openfork.ts'
import { buildBaseUrl, type Config } from './config.ts'

export function forkOptions(config: Config, { id, folder, testClock, ...installation }: ForkOpening) {
  const storage = layered(folderStorage(path.join(folder, 'media')), createStorage(config))
  return { ...installation, config: forkConfig(config, id, folder), fork: { clock: testClock, storage } }
}

/** It sends no email, makes no backups and shares nothing with the service but its PostgreSQL. */
function forkConfig(config: Config, id: string, folder: string): Config {
  return {
    ...config,
    BASE_URL: `${buildBaseUrl(config)}${forksPath}/${id}`,
    AUTH_URL: null,
    SHOPS_HOST: null,
    DATABASE_REPLICA_URL: [],
    DATA_DIR: folder,
    REDIS_URL: null,
    SMTP_URL: null,
    MAILS_PER_MINUTE: 100_000,
    CACHE_MAX_MB: 0,
    ROW_SECURITY: 'off',
    DISTRIBUTED: 'off',
    BACKUP_DIR: null,
    NEW_STORE_PLAN: 'none',
    SHOP_LIST: 'off',
  }
}

/** Reads images of the original, and writes only its own. */
function layered(own: Storage, original: Storage): Storage {
  return { ...own, get: async (key) => (await own.get(key)) ?? (await original.get(key)) }
}
