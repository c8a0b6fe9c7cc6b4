// stoa api: sends a request to a running server, as curl would, but with less to type.
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import type { Command } from 'commander'
import { buildBaseUrl } from '../config.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { requireHttpUrl } from '../../kit/values/httpurl.ts'
import { commandFaults } from './errors.ts'
import { runCommand } from './output.ts'
import { ownConfig, type CommandResult } from './session.ts'

export const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const

const help = `
A field is name=text, or name:=JSON for a number, a list or an object.
In GET and DELETE, fields are query parameters. With --dry-run the server changes nothing.`

type ApiOptions = { key?: string; url?: string; body?: string; include?: boolean }
type ApiRequest = { method: string; path: string; headers: Record<string, string>; body: string | null }

export function apiCommand(program: Command): void {
  program
    .command('api <method> <path> [fields...]')
    .description('Send a request to the API, e.g. api GET /v1/products per_page=5, or api POST /v1/products name=Mug')
    .option('--key <key>', 'API key (default: the variable STOA_KEY)')
    .option('--url <url>', 'URL of the server (default: the variable STOA_URL, else that of this configuration)')
    .option('--body <file>', 'file with the body, or - for standard input; fields are added to it')
    .option('-i, --include', 'print the status and the headers too')
    .addHelpText('after', help)
    .action((method: string, path: string, fields: string[], options: ApiOptions) =>
      runCommand(program, null, async (isDry) => {
        const request = await readApiRequest(method, path, fields, options)
        if (isDry) request.headers.prefer = 'dry-run'
        return send(serverUrl(options), request, options)
      }),
    )
}

/** Reports all faults of the arguments at once. */
async function readApiRequest(
  typedMethod: string,
  path: string,
  fields: readonly string[],
  options: ApiOptions,
): Promise<ApiRequest> {
  const method = typedMethod.toUpperCase()
  const key = options.key ?? process.env.STOA_KEY
  const values = fields.map(fieldIn)
  const placeholder = /\{\w+\}/.exec(path)?.[0]
  const faults = [
    !methods.some((each) => each === method) &&
      fault('method', generalFaults.not_one_of, { choices: methods.join(', ') }),
    !path.startsWith('/') && fault('path', commandFaults.no_path),
    placeholder && fault('path', commandFaults.placeholder_left, { placeholder }),
    ...values.map((field) => 'fault' in field && field.fault),
  ].filter((each): each is Fault => Boolean(each))
  if (faults.length > 0) throw invalid(...faults)
  const pairs = values.flatMap((field) => ('fault' in field ? [] : [[field.name, field.value] as const]))
  const headers: Record<string, string> = key ? { 'x-api-key': key } : {}
  if (method === 'GET' || method === 'DELETE') return { method, path: withQuery(path, pairs), headers, body: null }
  const bodyFields = options.body === undefined ? {} : await bodyIn(options.body)
  const body = JSON.stringify(Array.isArray(bodyFields) ? bodyFields : { ...bodyFields, ...Object.fromEntries(pairs) })
  return { method, path, headers: { ...headers, 'content-type': 'application/json' }, body }
}

type TypedField = { name: string; value: unknown } | { fault: Fault }

function fieldIn(input: string): TypedField {
  const [, name, colon, text] = /^([\w.[\]-]+?)(:?)=([^]*)$/.exec(input) ?? []
  const value = colon ? jsonIn(text!) : text
  if (name !== undefined && value !== undefined) return { name, value }
  return { fault: fault('fields', commandFaults.no_field, { typed: input.slice(0, 100) }) }
}

function withQuery(path: string, pairs: readonly (readonly [string, unknown])[]): string {
  if (pairs.length === 0) return path
  const texts = pairs.map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(texts)}`
}

async function bodyIn(file: string): Promise<object> {
  const text = file === '-' ? await textOf(process.stdin) : await readFile(file, 'utf8')
  const body = jsonIn(text)
  if (typeof body !== 'object' || body === null) throw invalid(fault('body', commandFaults.no_json))
  return body
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function serverUrl({ url = process.env.STOA_URL }: ApiOptions): string {
  return requireHttpUrl('url', url ?? buildBaseUrl(ownConfig())).replace(/\/$/, '')
}

/** The key goes to this host alone: redirects are shown, not followed. */
async function send(base: string, { path, ...request }: ApiRequest, { include }: ApiOptions): Promise<CommandResult> {
  const answer = await fetch(base + path, { ...request, redirect: 'manual' }).catch((error: Error) => {
    throw new Error(`No answer from ${base}: ${(error.cause as Error | undefined)?.message || error.message}`)
  })
  const text = await answer.text()
  const body = jsonIn(text)
  const head = [`HTTP ${answer.status}`, ...[...answer.headers].map(([name, value]) => `${name}: ${value}`), '', '']
  const output = body === undefined ? text.trimEnd() : JSON.stringify(body, null, 2)
  return {
    json: typeof body === 'object' && body !== null ? body : { status: answer.status, text },
    text: (include ? head.join('\n') : '') + output,
    failed: !answer.ok,
  }
}
