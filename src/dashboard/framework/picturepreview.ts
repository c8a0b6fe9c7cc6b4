// A picture beside its fields: its smallest size, below whatever host this page has; one from elsewhere as it is.
import { sourcesOf } from '../../commerce/media/picture.ts'

export function previewOf(url: string, storeId: string): string {
  return sourcesOf(url, storeId)?.smallest ?? url
}
