// A screen of the dashboard is data: where it is, who may see it, what it shows, and what its buttons do. mount.ts
// makes pages of it.
import type { Database, StoreDatabase } from '../../kit/database/database.ts'
import type { Actor, Route } from '../../kit/declare/route.ts'
import type { JsonSchema } from '../../kit/declare/field.ts'
import type { AnyResource } from '../../kit/declare/resource.ts'
import type { ApiError } from '../../kit/values/errors.ts'
import type { PriceText } from '../../kit/values/prices.ts'
import type { Form, FormLimits } from '../../platform/pages/form.ts'
import type { Html, PageResult, PageVisit as AnyVisit } from '../../platform/pages/page.ts'
import type { SettlementDeps } from '../../storefront/checkout/checkout.ts'
import type { UserSession } from '../../identity/accounts/session.ts'
import type { HeldRole } from '../../identity/accounts/user.ts'
import type { Feature } from '../../tenancy/plans/plan.ts'
import type { PortalDeps } from '../../identity/account/operations.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { IconName } from './icons.ts'
import type { Translate, MessageKey } from './messages.ts'

export type { Html, PageResult }

export type PageContext = AnyVisit & {
  db: StoreDatabase
  /** For what is a person's own, which may be in several stores. */
  allStores: Database
  /** Dependencies of operations. */
  tools: SettlementDeps & PortalDeps
  session: UserSession
  actor: Actor
  store: Store
  role: HeldRole
  /** All screens of the dashboard, in the order of the navigation. */
  screens: readonly Screen[]
  /** What addresses of the store's screens begin with. */
  base: string
  /** Where the API and the shops are. */
  baseUrl: string
  /** Whether people may open stores themselves. */
  opensStores: boolean
  t: Translate
  price: PriceText
  /** A moment, and a day, as people say it where the store is. */
  formatTime: (moment: Date | string) => string
  /** The same in a list: without the year, where it is this one. */
  formatShortTime: (moment: Date | string) => string
  formatDate: (moment: Date | string) => string
  /** To the second, as logs need it. */
  formatExactTime: (moment: Date | string) => string
  /** The ids in the path as uuids. */
  ids: Record<string, string>
  /** How many notifications the person has not read; only known to screens that are shown. */
  unread?: number
  /** What became of a form that is shown again. */
  rejection: FormRejection | null
  /** What a form would have made that was only tried. */
  dryRunResult?: unknown
}

type FormRejection = {
  act: string
  status: number
  text: string
  /** Name of the field → what is wrong with it. */
  faults: Record<string, string>
  /** What was refused, where a screen says more of it. */
  error?: ApiError
  /** True once a form has shown it. */
  isShown?: boolean
}

export type ScreenContent = {
  /** Instead of the screen's own. */
  title?: string
  /** Beside the title. */
  buttons?: Html | ''
  content: Html
}

export type Screen = {
  /** Below the store's address; its {names} are those of the API's paths. */
  path: string
  /** The scope that reading all this takes of a key; of several, one is enough. */
  scope: string | readonly string[]
  /** Required plan feature. */
  feature?: Feature
  title: MessageKey
  section: Section
  /** Its line in the navigation of its section; without, the section itself or another screen leads to it. */
  nav?: NavigationLine
  /** The screen that it is a part of, to go back to. */
  within?: { path: string; title: MessageKey }
  params?: Record<string, AnyResource>
  /** Also visible without the two-factor authentication that the store requires. */
  isOpenWithoutSecondFactor?: boolean
  show: (context: PageContext) => Promise<ScreenContent>
  /** Reads a lot: from a replica, if one has replayed all writes before it. Its `csv` always does. */
  readsReplica?: boolean
  /** A redirect to another screen, such as the default view. */
  redirect?: (context: PageContext) => Promise<string | null>
  /** Not in navigation or search. */
  isUnlisted?: true
  actions?: Record<string, ScreenAction>
  /** Form limits above the default. */
  limits?: FormLimits
  /** The same for programs, at the path with `.json` behind it. */
  json?: (context: PageContext) => Promise<PageResult>
  /** The same as a table for spreadsheets, at the path with `.csv` behind it. */
  csv?: (context: PageContext) => Promise<PageResult>
  /** What a frame of it shows, at the path with `/preview` behind it: also of a form that is sent and not saved. */
  preview?: (context: PageContext) => Promise<PageResult>
  /** Further scope for the preview. */
  previewScope?: string
}

/** Lines stand in the order of screens.ts. */
export type NavigationLine = {
  /** Under which several lines of a section stand. */
  group?: MessageKey
  /** Where that of the screen would be too long. */
  title?: MessageKey
  /** What is done there, for the first screen of the section, and what it looks like there. */
  text?: MessageKey
  icon?: IconName
}

export const sections = [
  'home',
  'orders',
  'products',
  'customers',
  'discounts',
  'carts',
  'reports',
  'shop',
  'settings',
] as const
export type Section = (typeof sections)[number]

/** What a form of a screen does: it calls an endpoint of the API, which says by its scope who may. */
export type ScreenAction = {
  route: Route<any, any>
  /** What of the body comes from the form. */
  inputs?: readonly FormInput[] | ((context: PageContext) => readonly FormInput[])
  /** What of it does not. */
  body?: object | ((context: PageContext, typed: Record<string, any>) => object | Promise<object>)
  /**
   * The values of the form, in the shape of the body. Then only changes are sent, and what someone
   * else has changed meanwhile is in the way only where it is the same.
   */
  toBody?: (record: any) => Record<string, unknown>
  /** What it means that there is something already, where not that it is one like this. */
  conflict?: MessageKey
  /** The person confirms first: the change cannot be undone, or reaches many records at once. */
  confirm?: Confirmation | ((context: PageContext) => Confirmation | null)
  /** What an id of the endpoint's path is called in the screen's path or in the form, where that is not the same. */
  idFrom?: Record<string, string>
  /** The field beside which a fault stands, where that is not what the API calls it. */
  fieldOf?: (name: string, form: Form) => string
  /** For each record that is ticked; a name says which id of the endpoint's path is the record's, where not `id`. */
  perRecord?: boolean | string
  /** Instead of one call, several: each is a change of its own. */
  calls?: (context: PageContext) => readonly ActionCall[] | Promise<readonly ActionCall[]>
  /** It needs rows that are ticked, or all of the list. */
  isOfSelection?: boolean
  /** Its form can be tried: the screen shows what it would make. */
  hasDryRun?: boolean
  /** Follow-up call with the new record. */
  followUp?: (answer: any, context: PageContext) => Promise<FollowUp>
  done: MessageKey
  /** The number in its message. */
  countOf?: (answer: any) => number
  /** The next screen, below the store's path. Defaults to the same screen. */
  to?: (answer: any, context: PageContext) => string
  /** What is shown this once instead of leading on, e.g. a secret; null: it leads on. */
  renderResult?: (context: PageContext, answer: any) => Html | null
}

/** Its texts may name a `label`, a `sum` and how many rows are ticked, as `{name}`, `{amount}` and `{count}`. */
export type Confirmation = { title: MessageKey; text: MessageKey; button: MessageKey; isHarmless?: boolean }

export type ActionCall = {
  route: Route<any, any>
  params: Record<string, string>
  body: Record<string, unknown>
  /** Beside which field of the form it stands what is refused. */
  field: string
}
export type FollowUp = { route: Route<any, any>; params: Record<string, string>; body: object; version?: string }

/** An input of a form. What its value may be is said by the schema of the API's body. */
export type FormInput = {
  /** In dot notation. */
  name: string
  /** Defaults to the message of the same name. */
  label?: MessageKey
  hint?: MessageKey
  /** Where the schema does not tell it: of several lines, an amount of the store's currency, a box for each choice. */
  as?: 'area' | 'money' | 'boxes' | 'radios' | 'password' | 'code' | SpecialControl
  /** Its ids are chosen by searching for what they are of. */
  picks?: PickableKind
  /** Of what the body's schema leaves open, e.g. what a provider asks for. */
  schema?: JsonSchema
  /** A group of the form begins with it, under this heading. */
  group?: MessageKey
  /** How high an area is. */
  rows?: number
  /** Shares its line with the next. */
  isHalf?: boolean
  /** Suggestions; other values are allowed. */
  suggests?: (context: PageContext) => Choices
  /** What may be chosen, where that is not what the schema lists: value and text. */
  options?: (context: PageContext) => Choices | Promise<Choices>
}

export type PickableKind = 'products' | 'categories' | 'collections' | 'customers'
/** An element of a list on each line, countries and provinces by their names, a text that is never shown again, a
 * colour, the address of a picture. */
export type SpecialControl = 'lines' | 'countries' | 'provinces' | 'secret' | 'colour' | 'picture' | 'markdown'

export type Choices = readonly (readonly [value: string, text: string])[]
