// Shares as people write them: 0.125 is 12.5% or 12,5 %.

const formats = new Map<string, Intl.NumberFormat>()

/** `digits`: decimal places at most. A format is made once, because making it costs more than a page's whole list. */
export function percentIn(language: string, digits = 0): (share: number) => string {
  const name = `${language} ${digits}`
  let format = formats.get(name)
  if (!format) {
    formats.set(name, (format = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: digits })))
  }
  return format.format
}
