import { pino, type Logger } from 'pino'

export type Log = Logger

/** JSON lines on standard output; what could carry a secret is cut out wherever it stands. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['*.authorization', '*.cookie', '*["x-api-key"]', '*.key', '*.secret', '*.password', '*.token'],
  })
}
