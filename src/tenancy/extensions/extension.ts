// The interface of an extension. Those of this repository are listed in src/extensions/list.ts; the variable
// EXTENSIONS names others, for which docs/contributing/extensions.md is the reference.
import type { Command } from 'commander'
import type { FastifyInstance } from 'fastify'
import type { Database, Db } from '../../kit/database/database.ts'
import type { Route } from '../../kit/declare/route.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { Events } from '../events/event.ts'
import type { Table } from '../tables/table.ts'

/** `Passed` is what the program passes to these functions. */
export type Extension<Passed extends { serve: any; jobs: any; start: any } = any> = {
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
  events?: readonly Events<string>[]
  /** Endpoints of /v1. */
  routes?: readonly Route[]
  /** Work on a schedule. */
  jobs?: (parts: Passed['jobs']) => readonly Job[] | Promise<readonly Job[]>
  /** Screens of the dashboard, made of the building blocks that it passes. */
  screens?: (pages: any) => readonly any[]
  /** Texts of its screens; English in place of a language that is missing. */
  messages?: Partial<Record<Language, Record<string, string>>>
  // The rest is for extensions of this repository.
  /** Serves paths of its own, beside /v1. */
  serve?: (app: FastifyInstance, parts: Passed['serve']) => void | Promise<void>
  /** Starts a server of its own beside the app, in the first process. Returns its end, or null if it is not wanted. */
  start?: (parts: Passed['start']) => Promise<(() => Promise<void>) | null>
  /** Adds commands to the CLI. */
  commands?: (program: Command, actions: ExtensionActions) => void
}

type Action<Session> = (
  run: (session: Session, options: Record<string, string | undefined>) => Promise<{ json: object; text: string }>,
) => (...args: unknown[]) => Promise<void>

/** A command reads, or changes rows in one transaction, which `--dry-run` undoes. */
export type ExtensionActions = {
  read: Action<{ db: Db }>
  write: Action<{ db: Database; url: string; config: { DATA_DIR: string; SECRET_KEY: string | null } }>
}
