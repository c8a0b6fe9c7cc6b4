// node --expose-gc bench/worstbodies.ts: what the worst files of test/worst.ts cost at their largest size: processor
// time, the longest pause of the event loop, and memory beyond the file. FILE names one of them.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxFileBytes, readTable } from '../src/developer/imports/file.ts'
import { nextSlice } from '../src/kit/values/slices.ts'
import { files } from '../test/worst.ts'
import { table } from './report.ts'

/** As many as an import stores at once. */
const rowsOfTurn = 250

async function endOf(bytes: Buffer): Promise<string> {
  try {
    const { rows } = await readTable(bytes)
    let count = 0
    for await (const _ of rows) if (++count % rowsOfTurn === 0) await nextSlice()
    return `${count} rows`
  } catch (error) {
    return (error as Error).message
  }
}

async function measure({ name, make }: (typeof files)[number]): Promise<string[]> {
  const bytes = Buffer.from(make(maxFileBytes - 1_000_000) as string)
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  await sleep(20)
  delays.reset()
  const begun = process.cpuUsage()
  const end = await endOf(bytes)
  const { user, system } = process.cpuUsage(begun)
  await sleep(10)
  delays.disable()
  clearInterval(watch)
  const ms = [(user + system) / 1000, delays.max / 1e6].map((one) => one.toFixed(0))
  return [name, ...ms, ((peak - before) / 2 ** 20).toFixed(0), end.slice(0, 60)]
}

const lines: string[][] = []
for (const file of files) {
  if (file.name.includes(process.env.FILE ?? '')) lines.push(await measure(file))
}
console.log(table(['file', 'CPU ms', 'longest pause ms', 'MiB', 'ends with'], lines))
