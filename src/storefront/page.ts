// What a shopper looks at is data: method, path, and what it answers. http/shop.ts hangs it up below a store's address.
import type { StoreDatabase } from '../kit/database/database.ts'
import type { Language } from '../kit/values/language.ts'
import type { Html } from '../accounts/screen.ts'
import type { Form } from '../pages/form.ts'
import type { CheckoutTools } from '../checkout/checkout.ts'
import type { Guard } from '../checkout/guard.ts'
import type { Offer } from '../checkout/offer.ts'
import type { Store } from '../stores/store.ts'
import type { Price } from '../kit/values/prices.ts'
import type { Say } from './words.ts'

export type { Html }

export type Visit = {
  db: StoreDatabase
  tools: CheckoutTools
  store: Store
  offer: Offer
  /** What this address may do at checkouts. */
  guard: Guard
  language: Language
  say: Say
  price: Price
  params: Record<string, string>
  query: Record<string, string>
  /** Of the form that was sent. */
  form: Form
  cookies: Record<string, string>
  /** What addresses of the store begin with: /s/{slug}, or nothing on its own domain. */
  root: string
  /** Path and query of this very request. */
  here: string
}

export type Reply = {
  status?: number
  page?: Html
  /** 303, to a path of the store: '/cart'. */
  to?: string
  /** Without a store's frame around it, e.g. for a mail program: 204. */
  empty?: boolean
  /** Cookies of this store: a value, or null for one that goes. */
  cookies?: Partial<Record<CookieName, string | null>>
}

/** stoa_cart, …: how many days each lives. */
export const cookieDays = { cart: 90, checkout: 30, lang: 365 }
export type CookieName = keyof typeof cookieDays

export type Page = {
  method: 'GET' | 'POST'
  path: string
  /** The same for everybody with the same cart; the browser asks again each time but may show it on the way back. */
  isCatalogue?: boolean
  /** Its address alone entitles, not a cookie: a form may come from anywhere. */
  fromAnywhere?: boolean
  run: (visit: Visit) => Reply | Promise<Reply>
}

/** The first value of a field, without spaces around it; what PostgreSQL cannot hold counts as none. */
export function field(form: Form, name: string): string {
  const value = [form[name] ?? ''].flat()[0]!.trim()
  return value.isWellFormed() && !value.includes('\0') ? value : ''
}

export function fieldsNamed(form: Form, name: string): string[] {
  return [form[name] ?? []].flat()
}
