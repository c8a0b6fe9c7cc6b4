// The differences between the app of the service and one below its address, which an extension opens.
import path from 'node:path'
import { folderStorage } from '../commerce/media/folder.ts'
import type { Storage } from '../commerce/media/storage.ts'
import { createStorage } from '../commerce/media/storageconfig.ts'
import type { InnerOpening } from '../tenancy/extensions/extension.ts'
import { buildBaseUrl, type Config } from './config.ts'

export type InnerApp = { storage: Storage } & Pick<InnerOpening, 'opened' | 'serve'>

export function buildInnerOptions(config: Config, opening: InnerOpening) {
  const { path: below, folder, opened, serve, ...installation } = opening
  const storage = layerStorage(folderStorage(path.join(folder, 'media')), createStorage(config))
  const inner: InnerApp = { storage, opened, serve }
  return { ...installation, config: innerConfig(config, below, folder), inner }
}

/** It sends no email, makes no backups and shares nothing with the service but its PostgreSQL. */
function innerConfig(config: Config, below: string, folder: string): Config {
  return {
    ...config,
    BASE_URL: buildBaseUrl(config) + below,
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
function layerStorage(own: Storage, original: Storage): Storage {
  return {
    ...own,
    get: async (key) => (await own.get(key)) ?? (await original.get(key)),
    open: async (key) => (await own.open(key)) ?? (await original.open(key)),
  }
}
