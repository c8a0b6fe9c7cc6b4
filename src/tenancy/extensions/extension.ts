// The interface of an extension. Those of this repository are listed in src/program/extensions.ts; the variable
// EXTENSIONS names others, for which docs/contributing/extensions.md is the reference.
import type { Command } from 'commander'
import type { Route } from '../../kit/declare/route.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { Events } from '../events/event.ts'
import type { Table } from '../tables/table.ts'

/** `Screen` is the dashboard's, `Parts` are the dependencies of jobs, `Commands` the ways in which a command runs. */
export type Extension<Screen = any, Parts = any, Commands = any> = {
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
  jobs?: (parts: Parts) => readonly Job[]
  /** Screens of the dashboard, made of the building blocks that it passes. */
  screens?: (pages: any) => readonly Screen[]
  /** Texts of its screens; English in place of a language that is missing. */
  messages?: Partial<Record<Language, Record<string, string>>>
  /** Commands of the CLI. */
  commands?: (program: Command, ways: Commands) => void
}
