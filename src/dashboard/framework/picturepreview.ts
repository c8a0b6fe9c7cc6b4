// A picture beside its fields: its smallest size, below whatever host this page has; one from elsewhere as it is.
import { shownFrom } from '../../commerce/media/picture.ts'

export function previewOf(url: string, storeId: string): string {
  return shownFrom(url, storeId)?.smallest ?? url
}
