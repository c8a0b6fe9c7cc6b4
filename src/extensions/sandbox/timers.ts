// Timers that end with the provider.
export type Timing = {
  /** Time until a late payment arrives. */
  lateMs: number
  /** Delay of a delayed webhook. */
  delayMs: number
  /** Pauses between the attempts of a webhook that was not answered with 2xx. */
  retriesMs: readonly number[]
}

export type Timers = { later(ms: number, run: () => void): void; end(): void }

export function openTimers(): Timers {
  const timers = new Set<NodeJS.Timeout>()
  return {
    later(ms, run) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        run()
      }, ms)
      timers.add(timer)
    },
    end: () => timers.forEach(clearTimeout),
  }
}
