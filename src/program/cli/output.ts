// Runs a command, prints its result and sets the exit code.
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { configurationExitCode, ConfigurationError } from '../../kit/values/configuration.ts'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { print, printable } from '../../platform/process/terminal.ts'
import { fault, formatReason } from '../../kit/values/faults.ts'
import { dryRun } from './dryrun.ts'
import { withSession, Interrupted, type ReadSession, type CommandResult, type CommandSession } from './session.ts'
import { commandFaults } from './errors.ts'

type CommandOptions = Record<string, string | undefined>

type CommanderAction = (...args: unknown[]) => Promise<void>
type CommandRun<S> = (session: S, options: CommandOptions, ...args: (string | undefined)[]) => Promise<CommandResult>

/** Each turns a command's function into commander's action and says what the command does to the database. */
export type CommandActions = {
  /** The command only reads. */
  read: (run: CommandRun<ReadSession>) => CommanderAction
  /** The command changes rows in one transaction, which `--dry-run` undoes and reports. */
  write: (run: CommandRun<CommandSession>) => CommanderAction
  /** The command does not open the database; `reason` says why it has no dry run. */
  withoutDatabase: (reason: string, run: BareRun) => CommanderAction
  /** The command does what no transaction undoes; `reason` completes "cannot be rehearsed: it …". */
  irreversible: (reason: string, run: CommandRun<CommandSession>) => CommanderAction
}

type BareRun = (options: CommandOptions, ...args: (string | undefined)[]) => Promise<CommandResult>

type SessionCommand<S> = (session: S) => Promise<CommandResult>

export function actions(program: Command): CommandActions {
  const inDatabase =
    <S>(reason: string | null, run: (session: CommandSession, perform: SessionCommand<S>) => Promise<CommandResult>) =>
    (work: CommandRun<S>): CommanderAction =>
    async (...args) => {
      const { options, positional } = splitArguments(args)
      const command = formatCommandName(args.at(-1) as Command)
      const perform: SessionCommand<S> = (session) => work(session, options, ...positional)
      await runCommand(program, reason, (isDry) => withSession({ command, isDry }, (session) => run(session, perform)))
    }
  return {
    read: inDatabase<ReadSession>(readOnlyReason, (session, perform) => perform(session)),
    write: inDatabase<CommandSession>(null, (session, perform) => {
      if (!isDryRun(program)) return perform(session)
      // Rows that changed are found by marks of this server.
      if (session.config.DISTRIBUTED === 'on') throw notRehearsed('changes rows of several servers')
      return dryRun(session, perform)
    }),
    withoutDatabase:
      (reason, run) =>
      async (...args) => {
        const { options, positional } = splitArguments(args)
        await runCommand(program, reason, () => run(options, ...positional))
      },
    irreversible: (reason, run) => inDatabase<CommandSession>(reason, (session, perform) => perform(session))(run),
  }
}

export const readOnlyReason = 'changes nothing'

function isDryRun(program: Command): boolean {
  return program.opts().dryRun === true
}

/** `store create` */
function formatCommandName(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${formatCommandName(parent)} ${command.name()}` : command.name()
}

/** Commander gives the arguments, then the options, then the command. */
function splitArguments(args: unknown[]): { options: CommandOptions; positional: (string | undefined)[] } {
  return { options: args.at(-2) as CommandOptions, positional: args.slice(0, -2) as (string | undefined)[] }
}

/**
 * Prints the result. Exit codes: 1 for a failure, 78 for a wrong configuration, 130 or 143 after a signal.
 * `reason` says why the command has no dry run.
 */
export async function runCommand(
  program: Command,
  reason: string | null,
  run: (isDry: boolean) => Promise<CommandResult>,
): Promise<void> {
  const asJson = program.opts().json === true
  try {
    const isDry = isDryRun(program)
    if (isDry && reason !== null) throw notRehearsed(reason)
    const { json, text, failed = false, isPrinted = false } = await run(isDry)
    if (!isPrinted) print(asJson, json, text)
    if (failed) process.exitCode = 1
  } catch (error) {
    process.stderr.write(`${asJson ? JSON.stringify(toErrorJson(error as Error)) : formatError(error as Error)}\n`)
    process.exitCode = error instanceof ConfigurationError ? configurationExitCode : 1
    // The interrupted work would otherwise go on.
    if (error instanceof Interrupted) process.exit(error.exitCode)
  }
}

const notRehearsed = (why: string) => invalid(fault('dry_run', commandFaults.command_not_rehearsed, { why }))

function toErrorJson(error: Error): object {
  if (error instanceof ApiError) return error.envelope
  const code = error instanceof ConfigurationError ? 'CONFIGURATION_ERROR' : 'FAILED'
  return { error: { code, message: error.message } }
}

function formatError(error: Error): string {
  const faults = error instanceof ApiError ? error.faults : []
  const lines = faults.map((fault) => `${toOptionName(fault.field)} ${formats[fault.field] ?? formatReason(fault)}`)
  const summary = lines.length === 1 ? lines[0]! : error.message
  const rest = lines.length > 1 ? lines.map((line) => `  ${line}`) : []
  return [styleText('red', printable(summary), { stream: process.stderr }), ...rest.map(printable)].join('\n')
}

// The API names the first rule that a value breaks; a person reads the whole format.
const formats: Record<string, string> = {
  currency: 'must be an uppercase ISO 4217 code, such as USD',
  country_code: 'must be an uppercase ISO 3166-1 alpha-2 code, such as MX',
  slug: 'must be at most 63 lowercase letters and digits, separated by single hyphens, such as my-shop',
}

/** The option in which a person typed the API's `field`. */
function toOptionName(field: string): string {
  const [first, second] = field.split('.') as [string, string | undefined]
  const name = first === 'policy' && second ? second : first
  if (positional.has(name)) return name
  return `--${options[name] ?? name.replaceAll('_', '-')}`
}

const positional = new Set(['method', 'path', 'fields'])
const options: Record<string, string> = { country_code: 'country', from_hour: 'hours', until_hour: 'hours' }
