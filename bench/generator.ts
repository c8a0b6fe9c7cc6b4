// The load, in a process of its own: wrk where it is installed, else autocannon. In the server's process, or in one
// that costs as much a request as what it measures, the load would be the ceiling: autocannon takes 25 µs, wrk 5.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cpuOfEndedChildren } from './processes.ts'

export type Request = {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** Latencies in milliseconds, `took` in seconds. */
export type Load = { count: number; took: number; p50: number; p99: number; failed: number }

export const connections = 16

/** Sends the requests in turn for so many seconds, and says what that cost the generator itself. */
export async function generate(
  url: string,
  requests: Request[],
  seconds: number,
): Promise<Load & { cpuMicroseconds: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-load-'))
  try {
    const before = cpuOfEndedChildren()
    const load = await (hasWrk ? byWrk(folder, url, requests, seconds) : byAutocannon(folder, url, requests, seconds))
    return { ...load, cpuMicroseconds: cpuOfEndedChildren() - before }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const hasWrk = isInstalled()

function isInstalled(): boolean {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' })
    return true
  } catch (error) {
    return (error as { code?: string }).code !== 'ENOENT' // wrk -v ends with 1
  }
}

async function byWrk(folder: string, url: string, requests: Request[], seconds: number): Promise<Load> {
  const script = join(folder, 'requests.lua')
  writeFileSync(script, luaOf(url, requests))
  const parameters = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url]
  const { stdout } = await promisify(execFile)('wrk', parameters)
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{')))
}

async function byAutocannon(folder: string, url: string, requests: Request[], seconds: number): Promise<Load> {
  const file = join(folder, 'requests.json')
  writeFileSync(file, JSON.stringify({ url, requests, seconds, connections }))
  const program = new URL('autocannon.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [program, file])
  return JSON.parse(stdout)
}

/** Every request is a text that is made once; wrk takes them in turn. */
function luaOf(url: string, requests: Request[]): string {
  const { host } = new URL(url)
  const texts = requests.map((request) => `  ${longString(textOf(host, request))},`)
  return `local requests = {
${texts.join('\n')}
}
local at = 0
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format('\\n{"count":%d,"took":%f,"p50":%f,"p99":%f,"failed":%d}\\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
`
}

function textOf(host: string, { method, path, headers = {}, body = '' }: Request): string {
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/** A Lua string that takes any byte. */
function longString(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')}"`
}
