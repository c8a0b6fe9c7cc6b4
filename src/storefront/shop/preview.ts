// Pages of a shop with what is typed in the dashboard and not saved, for who works in the store.
import type { StoreDatabase } from '../../kit/database/database.ts'
import { inFrame } from '../../platform/pages/frame.ts'
import type { Html, PageVisit as AnyVisit } from '../../platform/pages/page.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import type { SettlementDeps } from '../checkout/checkout.ts'
import { guardOf } from '../checkout/cart/guard.ts'
import { findOffer } from '../checkout/offers/offer.ts'
import { loadFace, type Face } from '../branding/face.ts'
import { ownLanguage } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { home } from './catalog/home.ts'
import type { Visit } from './frame/page.ts'
import { readerOf } from './frame/reader.ts'
import { article } from './storepage.ts'
import { frame } from './frame/view.ts'

type Worker = AnyVisit & { db: StoreDatabase; store: Store; tools: SettlementDeps & { limiter: RateLimiter } }

export async function previewHome(visit: Worker, typed: Partial<Face>): Promise<Html> {
  const { page } = await home(await asShopper(visit, typed))
  return inFrame(String(await page))
}

export async function previewPage(visit: Worker, { title, body }: { title: string; body: string }): Promise<Html> {
  const shopper = await asShopper(visit)
  return inFrame(String(await frame(shopper, { title, content: article(shopper, { title, body }) })))
}

/** Whoever comes to the shop for the first time, and reads its own language. */
async function asShopper(visit: Worker, typed: Partial<Face> = {}): Promise<Visit> {
  const { db, store, tools, ip } = visit
  const [offer, face] = await Promise.all([findOffer(db, store), loadFace(db, store.id)])
  const root = `/s/${store.slug}`
  return {
    ...visit,
    ...readerOf(store, ownLanguage(store), { offer, face: { ...face, ...typed } }),
    guard: guardOf(tools.limiter, () => db.clock.now(), ip),
    params: {},
    query: {},
    form: {},
    cookies: {},
    root,
    here: root,
  }
}
