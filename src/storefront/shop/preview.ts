// Previews of a store's pages with unsaved input of the dashboard, for its team.
import type { StoreDatabase } from '../../kit/database/database.ts'
import { inFrame } from '../../platform/pages/frame.ts'
import type { Html, PageVisit as AnyVisit } from '../../platform/pages/page.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import type { SettlementDeps } from '../checkout/checkout.ts'
import { buildCheckoutGuard } from '../checkout/cart/guard.ts'
import { findOffer } from '../checkout/offers/offer.ts'
import { loadFace, type Face } from '../branding/face.ts'
import { ownLanguage } from '../../tenancy/stores/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { home } from './catalog/home.ts'
import { emptySlots, type ShopContext } from './frame/page.ts'
import { readerContext } from './frame/reader.ts'
import { article } from './storepage.ts'
import { frame } from './frame/view.ts'

type PreviewContext = AnyVisit & { db: StoreDatabase; store: Store; deps: SettlementDeps & { limiter: RateLimiter } }

export async function previewHome(context: PreviewContext, draft: Partial<Face>): Promise<Html> {
  const { page } = await home(await asShopper(context, draft))
  return inFrame(String(await page))
}

export async function previewPage(
  context: PreviewContext,
  { title, body }: { title: string; body: string },
): Promise<Html> {
  const shopper = await asShopper(context)
  return inFrame(String(await frame(shopper, { title, content: await article(shopper, { title, body }) })))
}

const noShopper = () => Promise.reject(new Error('nobody is signed in to a preview'))

/** Shows the page as to a new shopper with the shop's own language. */
async function asShopper(context: PreviewContext, draft: Partial<Face> = {}): Promise<ShopContext> {
  const { db, store, deps, ip } = context
  const [offer, face] = await Promise.all([findOffer(db, store), loadFace(db, store.id)])
  const root = `/s/${store.slug}`
  return {
    ...context,
    deps: {
      ...deps,
      guardedFetch: { post: callNobody },
      exportOwnData: noShopper,
      slots: emptySlots,
      openFile: async () => null,
    },
    ...readerContext(store, ownLanguage(store), { offer, face: { ...face, ...draft } }),
    year: db.clock.now().getUTCFullYear(),
    guard: buildCheckoutGuard(deps.limiter, () => db.clock.now(), ip),
    params: {},
    query: {},
    form: {},
    cookies: {},
    root,
    here: root,
  }
}

/** Pages of a preview change no checkout. */
function callNobody(): never {
  throw new Error('a preview calls nobody')
}
