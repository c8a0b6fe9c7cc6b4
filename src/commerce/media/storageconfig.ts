// Selects the storage by configuration.
import path from 'node:path'
import { bucketStorage } from './bucket.ts'
import { folderStorage } from './folder.ts'
import type { Storage } from './storage.ts'

export type StorageSettings = {
  DATA_DIR: string
  MEDIA_S3_URL: string | null
  MEDIA_S3_REGION: string
  MEDIA_S3_KEY: string | null
  MEDIA_S3_SECRET: string | null
}

export function createStorage(config: StorageSettings): Storage {
  const { MEDIA_S3_URL: url, MEDIA_S3_KEY: accessKeyId, MEDIA_S3_SECRET: secretAccessKey } = config
  return url && accessKeyId && secretAccessKey
    ? bucketStorage({ url, region: config.MEDIA_S3_REGION, accessKeyId, secretAccessKey })
    : folderStorage(path.join(config.DATA_DIR, 'media'))
}
