// Names of time zones: all that IANA has, today's and older ones, and those to choose from.

/** Intl lists these under the names that they had before. */
const newNames: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

export const currentTimezone = (name: string): string => newNames[name] ?? name

/** One name for each, in order. */
export const timezoneNames: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(currentTimezone).sort()]),
]

/** Intl also accepts other cases, which IANA does not have, and fixed offsets such as +02:00. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Z][A-Za-z\d_+-]*(\/[A-Z][A-Za-z\d_+-]*)*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
