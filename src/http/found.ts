// What programs look for at the root of the house: robots.txt and llms.txt.
import type { Reply } from '../pages/page.ts'
import { robotsReply } from '../shop/robots.ts'
import type { Shop } from './shoplist.ts'

/** For the shops in paths: robots look at the root alone. Those with a domain have their own there. */
export function houseRobots(baseUrl: string, shops: readonly Shop[]): Reply {
  const here = shops.filter(({ has_domain }) => !has_domain)
  const sitemaps = here.map(({ slug }) => `${baseUrl}/s/${slug}/sitemap.xml`)
  return robotsReply(['/s/*'], sitemaps, ['/v1/', '/oauth/'])
}
