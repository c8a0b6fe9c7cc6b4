// Texts of the dashboard. A key stands in one area only.
import aftersale from '../../../languages/en/dashboard-aftersale.json' with { type: 'json' }
import customers from '../../../languages/en/dashboard-customers.json' with { type: 'json' }
import developers from '../../../languages/en/dashboard-developers.json' with { type: 'json' }
import drafts from '../../../languages/en/dashboard-drafts.json' with { type: 'json' }
import faults from '../../../languages/en/dashboard-faults.json' with { type: 'json' }
import fields from '../../../languages/en/dashboard-fields.json' with { type: 'json' }
import frame from '../../../languages/en/dashboard-frame.json' with { type: 'json' }
import groups from '../../../languages/en/dashboard-groups.json' with { type: 'json' }
import home from '../../../languages/en/dashboard-home.json' with { type: 'json' }
import orders from '../../../languages/en/dashboard-orders.json' with { type: 'json' }
import products from '../../../languages/en/dashboard-products.json' with { type: 'json' }
import returns from '../../../languages/en/dashboard-returns.json' with { type: 'json' }
import settings from '../../../languages/en/dashboard-settings.json' with { type: 'json' }
import store from '../../../languages/en/dashboard-store.json' with { type: 'json' }
import team from '../../../languages/en/dashboard-team.json' with { type: 'json' }
import webhooks from '../../../languages/en/dashboard-webhooks.json' with { type: 'json' }
import { extensions } from '../../tenancy/extensions/loaded.ts'
import { translatorFor, type KeyOf } from '../../platform/languages/translator.ts'
import type { Language, Translate as TranslateKeys } from '../../kit/values/language.ts'

const coreAreas = {
  'dashboard-aftersale': aftersale,
  'dashboard-customers': customers,
  'dashboard-developers': developers,
  'dashboard-drafts': drafts,
  'dashboard-faults': faults,
  'dashboard-fields': fields,
  'dashboard-frame': frame,
  'dashboard-groups': groups,
  'dashboard-home': home,
  'dashboard-orders': orders,
  'dashboard-products': products,
  'dashboard-returns': returns,
  'dashboard-settings': settings,
  'dashboard-store': store,
  'dashboard-team': team,
  'dashboard-webhooks': webhooks,
}

/** @public The keys of extensions of this repository: each declares that its texts are among them. */
// oxlint-disable-next-line typescript/no-empty-interface
export interface AddedTexts {}

const areas = Object.assign({}, coreAreas, ...extensions.map((extension) => extension.areas)) as typeof coreAreas
const addedMessages = extensions.flatMap(({ messages }) => messages ?? [])

export const dashboardTranslator = translatorFor(areas, addedMessages) as (language: Language) => Translate

export type MessageKey = KeyOf<typeof coreAreas> | keyof AddedTexts
export type Translate = TranslateKeys<MessageKey>

const english = [...Object.values(areas), ...addedMessages.map(({ en = {} }) => en)]
const keys = new Set(english.flatMap((messages) => Object.keys(messages)))

export function isMessageKey(name: string): name is MessageKey {
  return keys.has(name)
}

/** The message of this name, or the fallback if there is none. */
export function messageOr(t: Translate, name: string, fallback = name): string {
  return isMessageKey(name) ? t(name) : fallback
}
