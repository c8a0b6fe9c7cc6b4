// What happens later, as long as the provider runs.
export type Timing = {
  /** How long money that is paid late is on its way. */
  lateMs: number
  /** How late a delayed webhook is. */
  delayMs: number
  /** Between the attempts of a webhook that was not answered with 2xx. */
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
