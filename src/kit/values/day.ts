import type { Language } from './language.ts'

/** `2026-01-31`, and not the 31st of a month of 30 days. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** `2027-01-05` → January 5, 2027 */
export function formatDay(day: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day))
}

/** The last of the days; null if there is none. */
export function findLastDay(days: readonly (string | null | undefined)[]): string | null {
  return days.reduce<string | null>((last, day) => (day && (last === null || day > last) ? day : last), null)
}
