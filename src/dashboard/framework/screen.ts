// A screen of the dashboard is data: its path, scope, content and actions. mount.ts
// makes pages of it.
import type { Database, StoreDatabase } from '../../kit/database/database.ts'
import type { Actor, Route } from '../../kit/declare/route.ts'
import type { JsonSchema } from '../../kit/declare/field.ts'
import type { AnyResource } from '../../kit/declare/resource.ts'
import type { ApiError } from '../../kit/values/errors.ts'
import type { Fault } from '../../kit/values/faults.ts'
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
  /** For a person's own data, which may span several stores. */
  allStores: Database
  /** Dependencies of operations. */
  deps: SettlementDeps & PortalDeps
  session: UserSession
  actor: Actor
  store: Store
  role: HeldRole
  /** All screens of the dashboard, in the order of the navigation. */
  screens: readonly Screen[]
  /** The base path of the store's screens. */
  base: string
  /** The URL of the API and the shops. */
  baseUrl: string
  /** True if people may open stores themselves. */
  opensStores: boolean
  t: Translate
  price: PriceText
  /** Date and time in the store's time zone. */
  formatTime: (moment: Date | string) => string
  /** The same for lists: without the current year. */
  formatShortTime: (moment: Date | string) => string
  formatDate: (moment: Date | string) => string
  /** With seconds, for logs. */
  formatExactTime: (moment: Date | string) => string
  /** The IDs in the path as UUIDs. */
  ids: Record<string, string>
  /** The number of unread notifications; only set while a screen is rendered. */
  unread?: number
  /** Set if a rejected form is shown again. */
  rejection: FormRejection | null
  /** The result of a dry run. */
  dryRunResult?: unknown
}

type FormRejection = {
  act: string
  status: number
  text: string
  /** Field name → error message. */
  faults: Record<string, string>
  /** The error, for screens that show details. */
  error?: ApiError
  /** True once a form has shown it. */
  isShown?: boolean
}

export type ScreenContent = {
  /** Replaces the screen's own title. */
  title?: string
  /** Buttons beside the title. */
  buttons?: Html | ''
  content: Html
}

export type Screen = {
  /** Path below the store's URL; its {names} are those of the API's paths. */
  path: string
  /** The scope that reading it needs; of several, one is enough. */
  scope: string | readonly string[]
  /** Required plan feature. */
  feature?: Feature
  title: MessageKey
  section: Section
  /** Its line in the section's navigation. Without one, the section or another screen links to it. */
  nav?: NavigationLine
  /** The parent screen, for the back link. */
  within?: { path: string; title: MessageKey }
  params?: Record<string, AnyResource>
  /** Also visible without the two-factor authentication that the store requires. */
  isOpenWithoutSecondFactor?: boolean
  show: (context: PageContext) => Promise<ScreenContent>
  /** Reads from a replica that has replayed all writes before it, if there is one. `csv` always does. */
  readsReplica?: boolean
  /** A redirect to another screen, such as the default view. */
  redirect?: (context: PageContext) => Promise<string | null>
  /** Not in navigation or search. */
  /** Shows its changes itself. */
  hasTimeline?: true
  isUnlisted?: true
  actions?: Record<string, ScreenAction>
  /** Form limits above the default. */
  limits?: FormLimits
  /** The screen as JSON, at its path with `.json`. */
  json?: (context: PageContext) => Promise<PageResult>
  /** The screen as a CSV file, at its path with `.csv`. */
  csv?: (context: PageContext) => Promise<PageResult>
  /** The screen as other files, at its path with their endings. */
  files?: Readonly<Record<string, (context: PageContext) => Promise<PageResult>>>
  /** The content of its preview frame, at its path with `/preview`; also for unsaved forms. */
  preview?: (context: PageContext) => Promise<PageResult>
  /** Further scope for the preview. */
  previewScope?: string
}

/** Lines are in the order of screens.ts. */
export type NavigationLine = {
  /** The heading above several lines of a section. */
  group?: MessageKey
  /** A shorter title than the screen's. */
  title?: MessageKey
  /** The description and icon in the overview of a section. */
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

/** The action of a form: it calls an endpoint of the API, whose scope says who may. */
export type ScreenAction = {
  route: Route<any, any>
  /** The inputs that make the body. */
  inputs?: readonly FormInput[] | ((context: PageContext) => readonly FormInput[])
  /** Fields of the body that are not inputs. */
  body?: object | ((context: PageContext, input: Record<string, any>) => object | Promise<object>)
  /**
   * Turns a record into the body of its unchanged form. Then only changes are sent, and a change
   * by someone else is a conflict only in the same field.
   */
  toBody?: (record: any) => Record<string, unknown>
  /** The message of a conflict, if it is not that such a record exists. */
  conflict?: MessageKey
  /** Asks for confirmation, because the change cannot be undone or affects many records. */
  confirm?: Confirmation | ((context: PageContext) => Confirmation | null)
  /** Maps IDs of the endpoint's path to names in the screen's path or form, if they differ. */
  idFrom?: Record<string, string>
  /** Maps the API's field name to the form's field for its error. */
  fieldOf?: (name: string, form: Form) => string
  /** Puts the words of the dashboard in place of the values of a fault, such as names of fields. */
  nameValues?: (t: Translate, values: Fault['values']) => Fault['values']
  /** One call per selected record; a name is the path parameter, which defaults to `id`. */
  perRecord?: boolean | string
  /** Several calls instead of one: each is its own change. */
  calls?: (context: PageContext) => readonly ActionCall[] | Promise<readonly ActionCall[]>
  /** It needs selected rows, or the whole list. */
  isOfSelection?: boolean
  /** The form has a dry run, whose result the screen shows. */
  hasDryRun?: boolean
  /** Follow-up call with the new record. */
  followUp?: (answer: any, context: PageContext) => Promise<FollowUp>
  done: MessageKey
  /** The count for its message. */
  countOf?: (answer: any) => number
  /** The next screen, below the store's path. Defaults to the same screen. */
  to?: (answer: any, context: PageContext) => string
  /** Shows a result once instead of redirecting, such as a secret. Null: redirects. */
  renderResult?: (context: PageContext, answer: any) => Html | null
}

/** Its texts may contain `{name}`, `{amount}` and `{count}`: a label, a sum and the number of selected rows. */
export type Confirmation = { title: MessageKey; text: MessageKey; button: MessageKey; isHarmless?: boolean }

export type ActionCall = {
  route: Route<any, any>
  params: Record<string, string>
  body: Record<string, unknown>
  /** The form's field beside which the rejection appears. */
  field: string
}
export type FollowUp = { route: Route<any, any>; params: Record<string, string>; body: object; version?: string }

/** An input of a form. The API's schema of the body says which values it accepts. */
export type FormInput = {
  /** The field's path in dot notation. */
  name: string
  /** Defaults to the message of the same name. */
  label?: MessageKey
  hint?: MessageKey
  /** Words of the store itself, in place of messages. */
  labelText?: string
  hintText?: string
  /** The control, if the schema does not imply it, such as text areas, money and checkboxes. */
  as?: 'area' | 'money' | 'boxes' | 'radios' | 'cards' | 'password' | 'code' | SpecialControl
  /** Its IDs are chosen by a search for this kind of record. */
  picks?: PickableKind
  /** The schema, if the body's leaves it open, such as a provider's settings. */
  schema?: JsonSchema
  /** The text of the empty choice. */
  blank?: MessageKey
  /** Begins a group with this heading. */
  group?: MessageKey
  /** The height of a text area. */
  rows?: number
  /** Shares its line with the next. */
  isHalf?: boolean
  /** Suggestions; other values are allowed. */
  suggests?: (context: PageContext) => Choices | Promise<Choices>
  /** The choices, if they differ from the schema's: value and text. */
  options?: (context: PageContext) => Choices | Promise<Choices>
}

export type PickableKind = 'products' | 'categories' | 'collections' | 'customers'
/** Lines of a list, countries and provinces by name, a secret that is never shown again, a color, or
 * the URL of an image. */
export type SpecialControl = 'lines' | 'countries' | 'provinces' | 'secret' | 'colour' | 'picture' | 'markdown'

export type Choices = readonly (readonly [value: string, text: string])[]
