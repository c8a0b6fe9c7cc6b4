// Browser and system names from a User-Agent header.

// The first match counts, because most browsers also name others.
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** Returns e.g. `Chrome · Linux`, or the beginning of an unknown header. */
export function formatBrowser(userAgent: string): string {
  const nameIn = (names: readonly (readonly [RegExp, string])[]) => names.find(([form]) => form.test(userAgent))?.[1]
  return [nameIn(browsers), nameIn(systems)].filter(Boolean).join(' · ') || userAgent.slice(0, 60)
}
