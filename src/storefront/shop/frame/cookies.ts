// The shop's cookies: their names have a common prefix.
import type { PageVisit } from '../../../platform/pages/page.ts'

export const cookiePrefix = 'stoa_'

export function shopCookies({ cookies }: Pick<PageVisit, 'cookies'>): Record<string, string | undefined> {
  const shopOnes = Object.entries(cookies).filter(([name]) => name.startsWith(cookiePrefix))
  return Object.fromEntries(shopOnes.map(([name, value]) => [name.slice(cookiePrefix.length), value]))
}
