// How a command ends: what it prints, and its exit code.
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { configurationExitCode, ConfigurationError } from '../config.ts'
import { ApiError, invalid } from '../kit/values/errors.ts'
import { printable } from '../platform/process/terminal.ts'
import { fault, sentenceOf } from '../kit/values/faults.ts'
import { rehearsed } from './rehearsal.ts'
import { inSession, Interrupted, type Looking, type Outcome, type Session } from './session.ts'

type Options = Record<string, string | undefined>

type Action = (...given: unknown[]) => Promise<void>
type Run<S> = (session: S, options: Options, ...given: (string | undefined)[]) => Promise<Outcome>

/** A command's work, made into commander's action: each says what it does to the database. */
export type Actions = {
  /** It looks. */
  look: (run: Run<Looking>) => Action
  /** It changes rows, in one transaction: `--dry-run` rehearses that and tells what it has changed. */
  change: (run: Run<Session>) => Action
  /** It does what no transaction undoes; `why` completes "cannot be rehearsed: it …". */
  act: (why: string, run: Run<Session>) => Action
}

export function actions(program: Command): Actions {
  const inDatabase =
    <S>(why: string | null, run: (session: Session, own: (session: S) => Promise<Outcome>) => Promise<Outcome>) =>
    (work: Run<S>): Action =>
    async (...given) => {
      const { options, positional } = parted(given)
      const command = nameOf(given.at(-1) as Command)
      const own = (session: S) => work(session, options, ...positional)
      await finish(program, why, (isDry) => inSession({ command, isDry }, (session) => run(session, own)))
    }
  return {
    look: inDatabase<Looking>(looksOnly, (session, own) => own(session)),
    change: inDatabase<Session>(null, (session, own) => (isDryRun(program) ? rehearsed(session, own) : own(session))),
    act: (why, run) => inDatabase<Session>(why, (session, own) => own(session))(run),
  }
}

export const looksOnly = 'changes nothing'

function isDryRun(program: Command): boolean {
  return program.opts().dryRun === true
}

/** `store create` */
function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}

/** Commander gives the arguments, then the options, then the command. */
function parted(given: unknown[]): { options: Options; positional: (string | undefined)[] } {
  return { options: given.at(-2) as Options, positional: given.slice(0, -2) as (string | undefined)[] }
}

/**
 * Prints the outcome; 1 when it failed or was refused, 78 for a wrong configuration, 130 or 143 after a signal.
 * `why`: it cannot be rehearsed.
 */
export async function finish(
  program: Command,
  why: string | null,
  run: (isDry: boolean) => Promise<Outcome>,
): Promise<void> {
  const asJson = program.opts().json === true
  try {
    const isDry = isDryRun(program)
    if (isDry && why !== null) throw invalid(fault('dry_run', 'command_not_rehearsed', { why }))
    const { json, text, failed = false } = await run(isDry)
    print(asJson, json, text)
    if (failed) process.exitCode = 1
  } catch (error) {
    process.stderr.write(`${asJson ? JSON.stringify(refusalOf(error as Error)) : wordsOf(error as Error)}\n`)
    process.exitCode = error instanceof ConfigurationError ? configurationExitCode : 1
    // What it was at would still go on.
    if (error instanceof Interrupted) process.exit(error.exitCode)
  }
}

/** All that commands print goes through here: one object, or clean text for a person. */
export function print(asJson: boolean, json: object, text: string): void {
  process.stdout.write(`${asJson ? JSON.stringify(json) : printable(text)}\n`)
}

function refusalOf(error: Error): object {
  if (error instanceof ApiError) return error.envelope
  const code = error instanceof ConfigurationError ? 'CONFIGURATION_ERROR' : 'FAILED'
  return { error: { code, message: error.message } }
}

function wordsOf(error: Error): string {
  const faults = error instanceof ApiError ? error.faults : []
  const lines = faults.map((fault) => `${optionOf(fault.field)} ${forms[fault.field] ?? sentenceOf(fault)}`)
  const summary = lines.length === 1 ? lines[0]! : error.message
  const rest = lines.length > 1 ? lines.map((line) => `  ${line}`) : []
  return [styleText('red', printable(summary), { stream: process.stderr }), ...rest.map(printable)].join('\n')
}

// The API says which rule a value breaks first; a person is told the whole form.
const forms: Record<string, string> = {
  currency: 'must be an ISO 4217 code in capitals, e.g. USD',
  country_code: 'must be an ISO 3166-1 alpha-2 code in capitals, e.g. MX',
  slug: 'must be lower-case letters and digits with single hyphens between them, e.g. my-shop; at most 63',
}

/** Where a person gave what the API calls `field`. */
function optionOf(field: string): string {
  const [first, second] = field.split('.') as [string, string | undefined]
  const name = first === 'policy' && second ? second : first
  return `--${options[name] ?? name.replaceAll('_', '-')}`
}

const options: Record<string, string> = { country_code: 'country', from_hour: 'hours', until_hour: 'hours' }
