// The parts of the shop that extensions add. One that fails leaves its place empty, and the page is sent without it.
import { html, raw } from 'hono/html'
import { notFound } from '../../kit/values/errors.ts'
import { extensionFaults } from '../../platform/postgres/extensionmigrations.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Extension, ShopParts } from '../../tenancy/extensions/extension.ts'
import { turnOff } from '../../tenancy/extensions/load.ts'
import { openShopLinks, type ShopLinks } from '../../tenancy/extensions/shoplinks.ts'
import { openTexts, type ExtensionText } from '../../tenancy/extensions/texts.ts'
import { blocks } from './frame/blocks.ts'
import type { Html, ShopContext, ShopPage, ShopSlots } from './frame/page.ts'

/** What a slot and a page of an extension receive. */
export type ExtensionVisit = ShopContext & { text: ExtensionText; links: ShopLinks }

export type ShopAdditions = { slots: ShopSlots; pages: readonly ShopPage[] }

type AddedParts = { name: string; parts: ShopParts; visit: (context: ShopContext) => ExtensionVisit }

/** `core` has the pages of the shop, whose places are taken. */
export async function openShopAdditions(
  extensions: readonly Extension[],
  { core, log }: { core: readonly ShopPage[]; log: Log },
): Promise<ShopAdditions> {
  const opened: AddedParts[] = []
  for (const extension of extensions) {
    if (!extension.shop || extensionFaults.has(extension.name)) continue
    try {
      const parts = await extension.shop(blocks)
      requireOwnPlaces(extension.name, parts, core)
      opened.push({ name: extension.name, parts, visit: openVisits(extension) })
    } catch (error) {
      turnOff(extension.name, error, 'failed to make its parts of the shop')
      const state = `off: ${extensionFaults.get(extension.name)}`
      log.error({ extension: extension.name, state }, 'an extension is off')
    }
  }
  return {
    slots: { product: openSlot('product', opened, log), order: openSlot('order', opened, log) },
    pages: opened.flatMap(buildPages),
  }
}

function requireOwnPlaces(name: string, { pages = [] }: ShopParts, core: readonly ShopPage[]): void {
  const isCore = core.some(({ path }) => path.split('/')[1] === name)
  const strange = pages.find(({ path }) => isCore || (path !== `/${name}` && !path.startsWith(`/${name}/`)))
  if (strange) throw new Error(`its page ${strange.path} is not /${name}/…, or that belongs to the shop`)
}

function openVisits(extension: Extension): AddedParts['visit'] {
  const texts = openTexts(extension)
  return (context) => {
    const { language, deps, store } = context
    return { ...context, text: texts(language), links: openShopLinks(deps.vault, store.id, extension.name) }
  }
}

function openSlot(place: keyof ShopSlots, opened: readonly AddedParts[], log: Log) {
  const own = opened.flatMap(({ name, parts, visit }) => {
    const render = parts[place]
    return render ? { name, visit, render } : []
  })
  return async (context: ShopContext, subject: object): Promise<Html | ''> => {
    const on = own.filter(({ name }) => !extensionFaults.has(name))
    if (on.length === 0) return ''
    const content = on.map(async ({ name, visit, render }) => {
      try {
        return String((await render(visit(context), subject)) ?? '')
      } catch (error) {
        log.error({ err: error, extension: name, place }, 'an extension failed in a page')
        return ''
      }
    })
    return html`${raw((await Promise.all(content)).join(''))}`
  }
}

function buildPages({ name, parts: { pages = [] }, visit }: AddedParts): ShopPage[] {
  return pages.map(({ method, path, fromAnywhere = false, run }) => ({
    method,
    path,
    fromAnywhere,
    async run(context) {
      if (extensionFaults.has(name)) throw notFound('Page')
      // A mail program that ends emails sends from its own servers, which many readers share.
      if (method === 'POST' && !fromAnywhere) await context.guard.submit(name, context.store.id)
      return run(visit(context))
    },
  }))
}
