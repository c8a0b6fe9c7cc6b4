// node --expose-gc bench/worstbodies.ts: what the worst files and bodies of test/worst.ts cost at their largest size:
// processor time, the longest pause of the event loop, and memory beyond the file or body. NAME names one of them.
import { parse } from 'node:querystring'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxFileBytes, readTable } from '../src/extensions/transfer/imports/file.ts'
import { routes } from '../src/developer/routes.ts'
import { maxBodyBytes } from '../src/http/bodies.ts'
import { readBoundary, readFormParts } from '../src/kit/values/multipart.ts'
import { nextSlice } from '../src/kit/values/slices.ts'
import { maxFields, maxFormBytes } from '../src/platform/pages/form.ts'
import { bodies, files } from '../test/worst.ts'
import { table } from './report.ts'

/** As many as an import stores at once. */
const rowsOfTurn = 250

async function readFile(bytes: Buffer): Promise<string> {
  const { rows } = await readTable(bytes)
  let count = 0
  for await (const _ of rows) if (++count % rowsOfTurn === 0) await nextSlice()
  return `${count} rows`
}

const { body: newProduct } = routes.find(({ method, path }) => method === 'POST' && path === '/products')!
const context = { currency: 'USD', timezone: 'UTC', country_code: 'US', now: new Date() }

/** Reads a body as a server does: JSON as a new product, forms and their parts up to their limit. */
async function readBody(type: string, bytes: Buffer): Promise<string> {
  if (type.includes('json')) {
    newProduct!.read(JSON.parse(bytes.toString()), context)
    return 'a product'
  }
  if (type.includes('urlencoded')) {
    return `${Object.keys(parse(bytes.toString(), '&', '=', { maxKeys: maxFields + 1 })).length} fields`
  }
  let count = 0
  for await (const _ of readFormParts(bytes, readBoundary(type)!)) if (++count > maxFields) break
  return `${count} parts`
}

async function measure(name: string, bytes: Buffer, read: (bytes: Buffer) => Promise<string>): Promise<string[]> {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  await sleep(20)
  delays.reset()
  // The first delay after a reset is not recorded.
  await sleep(5)
  const begun = process.cpuUsage()
  const end = await read(bytes).catch((error: Error) => error.message)
  const { user, system } = process.cpuUsage(begun)
  await sleep(10)
  delays.disable()
  clearInterval(watch)
  const ms = [(user + system) / 1000, delays.max / 1e6].map((one) => one.toFixed(0))
  return [name, ...ms, ((peak - before) / 2 ** 20).toFixed(0), end.slice(0, 60)]
}

const isNamed = ({ name }: { name: string }) => name.includes(process.env.NAME ?? '')
const lines: string[][] = []
for (const { name, make } of files.filter(isNamed)) {
  lines.push(await measure(name, Buffer.from(make(maxFileBytes - 1_000_000) as string), readFile))
}
for (const { name, type, make } of bodies.filter(isNamed).filter(({ type }) => !type.startsWith('text/'))) {
  const size = type.includes('urlencoded') ? maxFormBytes : maxBodyBytes
  const bytes = Buffer.from(make(size) as string)
  lines.push(await measure(`${type.split(';')[0]}: ${name}`, bytes, (body) => readBody(type, body)))
}
console.log(table(['file or body', 'CPU ms', 'longest pause ms', 'MiB', 'ends with'], lines))
