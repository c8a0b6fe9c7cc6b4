// The preview of an image beside its fields: the smallest size on the page's own host. Other hosts have one size.
import { buildPictureSources } from '../../commerce/media/picture.ts'

export function toPreviewUrl(url: string, storeId: string): string {
  return buildPictureSources(url, storeId)?.smallest ?? url
}
