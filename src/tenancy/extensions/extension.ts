// The interface of an extension. The folder src/extensions has those of this repository; the variable
// EXTENSIONS names others, for which docs/contributing/extensions.md is the reference.
import type { Command } from 'commander'
import type { FastifyInstance } from 'fastify'
import type { Database, Db } from '../../kit/database/database.ts'
import type { ReadRoute, Route, RouteTable } from '../../kit/declare/route.ts'
import type { Clock } from '../../kit/values/clock.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Site } from '../../platform/pages/mount.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Events } from '../events/event.ts'
import type { FollowEvent } from '../events/followers.ts'
import type { Table } from '../tables/table.ts'
import type { ShopLinks } from './shoplinks.ts'
import type { StoredFiles } from './storedfiles.ts'
import type { ExtensionText } from './texts.ts'

/** `Passed` is what the program passes to these functions. */
export type Extension<Passed extends { open: any; serve: any; jobs: any; start: any; config: any } = any> = {
  /** Lower-case letters and digits. Its tables, events, paths, jobs and messages begin with it. */
  name: string
  version: string
  /** The lowest version of Stoa that it works with. */
  requires?: string
  /** Tables that its migrations make, each with all its marks. */
  tables?: readonly Table[]
  /** The folder of its migrations: 0001_points.sql, which the database lists as loyalty/0001_points. */
  migrations?: URL
  /** Types of events, which webhooks can receive and the event log shows. */
  events?: readonly Events<any>[]
  /** What it does in the transaction of an event of these types, its own or the core's. */
  follows?: Readonly<Record<string, FollowEvent>>
  /** Endpoints of /v1. */
  routes?: readonly Route[]
  /** Work on a schedule. */
  jobs?: (parts: Passed['jobs']) => readonly Job[] | Promise<readonly Job[]>
  /** Screens of the dashboard, made of the building blocks that it passes. */
  screens?: (pages: any) => readonly any[] | Promise<readonly any[]>
  /** Emails to shoppers, by name: each is composed when it is sent, in the language of its reader. */
  letters?: Readonly<Record<string, ComposeLetter>>
  /** Parts of the shop, made of the building blocks that it passes. */
  shop?: (blocks: any) => ShopParts | Promise<ShopParts>
  /** Rows of its tables in the export of a customer's data, by name. */
  exports?: Readonly<Record<string, any>>
  /** Texts of its screens, emails and pages; English in place of a language that is missing. */
  messages?: Partial<Record<Language, Record<string, string>>>
  // The rest is for extensions of this repository.
  /** English texts of its screens, by area: languages/ has the other languages. */
  areas?: Record<string, Record<string, string>>
  /** Groups of its endpoints in the reference, with their descriptions. */
  tags?: Record<string, string>
  /** Endpoints of a group of the core, made when tables and events are listed. */
  lateRoutes?: () => Promise<readonly Route[]>
  /** More tables of endpoints, which MCP, proposals and forms do not have. */
  routeTables?: readonly RouteTable[]
  /** Opens with each app what the operations of its endpoints receive by its name. */
  open?: (parts: Passed['open']) => Opened | Promise<Opened>
  /** Serves paths of its own, beside /v1. `opened` is the result of `open`. */
  serve?: (app: FastifyInstance, parts: Passed['serve'], opened: any) => void | Promise<void>
  /** Starts a server of its own beside the app, in the first process. Returns its end, or null if it is not wanted. */
  start?: (parts: Passed['start']) => Promise<(() => Promise<void>) | null>
  /** Files as which lists of /v1 are also sent, by path. The list's screen has them too. */
  files?: Readonly<Record<string, Pick<ReadRoute, 'csv' | 'jsonl' | 'xlsx' | 'shopify.csv'>>>
  /** Buttons beside those of a list in the dashboard, by its path. They receive the context of its page. */
  buttons?: Readonly<Record<string, (context: any) => unknown>>
  /** Panels on screens of one record, by path: /products/{id}. They receive the context of the page. */
  panels?: Readonly<Record<string, (context: any) => unknown>>
  /** The files that its rows name in the storage of images: they are in backups and archives. */
  storedFiles?: StoredFiles
  /** Messages of the dashboard for the codes of its faults. */
  faultMessages?: Readonly<Record<string, string>>
  /** Adds commands to the CLI. */
  commands?: (program: Command, actions: ExtensionActions<Passed['config']>) => void
}

/** What a letter is composed from. `values` are those with which it was queued. */
export type LetterCall = {
  db: Db
  store: { id: string; name: string; currency: string; translated: Language[] }
  language: Language
  values: Readonly<Record<string, string | number>>
  text: ExtensionText
  links: ShopLinks
}

/** Paths are below the store's URL. */
type ExtensionLetterPart =
  | { kind: 'text' | 'soft'; text: string }
  | { kind: 'button' | 'link'; text: string; path: string }
  | { kind: 'facts'; facts: { name: string; value: string }[] }

export type ExtensionLetter = {
  subject: string
  parts: readonly ExtensionLetterPart[]
  /** The page that ends such emails by a POST (RFC 8058). */
  unsubscribePath?: string
}

/** Returns why the email is no longer needed, or the email. */
export type ComposeLetter = (call: LetterCall) => Promise<ExtensionLetter | { unwanted: string }>

/** A part of a page of the shop: below the button of a product, or on the page of an order. */
type ShopSlot = (visit: any, subject: any) => Promise<unknown>

export type ShopParts = {
  product?: ShopSlot
  order?: ShopSlot
  /** Pages below /{name}. A form counts for limits of its address and of the store. */
  pages?: readonly { method: 'GET' | 'POST'; path: string; fromAnywhere?: boolean; run: (visit: any) => any }[]
}

export type Opened = { close?: () => Promise<void> }

/** An app below an address of the service: an API and shops, without dashboard, sign-in and schedule. */
export type InnerOpening = {
  path: string
  databaseUrl: string
  secretKey: string
  clock: Clock
  /** Contains its images. It also reads those of the service. */
  folder: string
  /** What its endpoints receive in place of what extensions open, by name. */
  opened: Record<string, object>
  serve(server: FastifyInstance, parts: { baseUrl: string; shops: Site<any>[]; log: Log }): void
}

type ExtensionCommand<Session> = (
  session: Session,
  options: Record<string, string | undefined>,
  ...args: (string | undefined)[]
) => Promise<ExtensionResult>
type ExtensionResult = { json: object; text: string; failed?: boolean; isPrinted?: boolean }
type Action = (...args: unknown[]) => Promise<void>

export type ExtensionSession<Config> = { db: Database; url: string; config: Config }

/**
 * A command reads; or it changes rows in one transaction, which `--dry-run` undoes; or it does what no transaction
 * undoes, or does not open the database, with the reason why it has no dry run.
 */
export type ExtensionActions<Config> = {
  read: (run: ExtensionCommand<{ db: Db }>) => Action
  write: (run: ExtensionCommand<ExtensionSession<Config>>) => Action
  withoutDatabase: (
    reason: string,
    run: (options: Record<string, string | undefined>, ...args: (string | undefined)[]) => Promise<ExtensionResult>,
  ) => Action
  irreversible: (reason: string, run: ExtensionCommand<ExtensionSession<Config>>) => Action
}
