import { styleText } from 'node:util'
import { pino, type Logger } from 'pino'

export type Log = Logger

/** Writes JSON lines, or readable lines on a terminal; properties that could hold a secret are removed. */
export function openLog(level: string, output: NodeJS.WriteStream = process.stdout): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['*.authorization', '*.cookie', '*["x-api-key"]', '*.key', '*.secret', '*.password', '*.token'],
  }
  return output.isTTY ? pino(options, { write: (line) => output.write(readable(line)) }) : pino(options)
}

/** Formats a JSON line of pino as `10:50:29 warn  message (field: value)`, with an error's stack below. */
export function readable(line: string): string {
  const { level, time, msg, err, reqId: _reqId, ...more } = JSON.parse(line)
  const label = pino.levels.labels[level] ?? String(level)
  const colour = level >= 50 ? 'red' : level >= 40 ? 'yellow' : 'dim'
  const facts = Object.entries(more).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const head = `${styleText('dim', time.slice(11, 19))} ${styleText(colour, label.padEnd(5))} ${msg ?? ''}`
  const text = [head, facts.length > 0 ? `(${facts.join(', ')})` : ''].filter(Boolean).join(' ')
  return `${text}\n${err?.stack ? `${err.stack}\n` : ''}`
}
