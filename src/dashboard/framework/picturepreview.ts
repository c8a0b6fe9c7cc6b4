// A picture beside its fields: its smallest size, below whatever host this page has; one from elsewhere as it is.
import { buildPictureSources } from '../../commerce/media/picture.ts'

export function toPreviewUrl(url: string, storeId: string): string {
  return buildPictureSources(url, storeId)?.smallest ?? url
}
