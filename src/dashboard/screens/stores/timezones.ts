// The default time zone of a new store: that of its country, or the one in which most of its people live.

import { currentTimezone } from '../../../kit/values/timezonenames.ts'

// prettier-ignore
const mainTimezones: Record<string, string> = {
  AQ: 'Antarctica/McMurdo', AR: 'America/Argentina/Buenos_Aires', AU: 'Australia/Sydney', BR: 'America/Sao_Paulo',
  CA: 'America/Toronto', CD: 'Africa/Kinshasa', CL: 'America/Santiago', CN: 'Asia/Shanghai', CY: 'Asia/Nicosia',
  DE: 'Europe/Berlin', EC: 'America/Guayaquil', ES: 'Europe/Madrid', FM: 'Pacific/Pohnpei', GL: 'America/Nuuk',
  ID: 'Asia/Jakarta', KI: 'Pacific/Tarawa', KZ: 'Asia/Almaty', MH: 'Pacific/Majuro', MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City', MY: 'Asia/Kuala_Lumpur', NZ: 'Pacific/Auckland', PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby', PS: 'Asia/Hebron', PT: 'Europe/Lisbon', RU: 'Europe/Moscow', UA: 'Europe/Kyiv',
  UM: 'Pacific/Wake', US: 'America/New_York', UZ: 'Asia/Tashkent',
}

export function timezoneOf(country: string): string {
  return mainTimezones[country] ?? timezonesOf(country)[0] ?? 'UTC'
}

export function timezonesOf(country: string): readonly string[] {
  return (new Intl.Locale('und', { region: country }).getTimeZones?.() ?? []).map(currentTimezone)
}
