// Numbers as people type and read them. Languages other than English have a decimal comma.

/** With a decimal point. Between groups of three digits is the same sign. */
const grammar = /^[+-]?(?:(?:\d+|[1-9]\d{0,2}([, \u00a0\u2009\u202f'’])\d{3}(?:\1\d{3})*)(?:\.\d*)?|\.\d+)$/

const swapSigns = (text: string) => text.replaceAll(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'))

/**
 * Reads `1.299` as thousands where the decimal sign is a comma, and `4.90` as decimals everywhere. Any other text is
 * returned as it is, so that the API reports it.
 */
export function readNumber(text: string, language: string): number | string {
  const typed = text.trim()
  const [own, other] = language === 'en' ? [typed, swapSigns(typed)] : [swapSigns(typed), typed]
  const plain = [own, other].find((one) => grammar.test(one))
  return plain === undefined ? text : Number(plain.replaceAll(/[^\d.+-]/g, ''))
}

const formats = new Map<string, Intl.NumberFormat>()

/** As readNumber reads it: without group signs, with all of its decimals and no fewer than given. */
export function formatNumber(value: number, language: string, decimals = 0): string {
  const key = `${language} ${decimals}`
  let format = formats.get(key)
  if (!format) {
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: 20 }
    formats.set(key, (format = new Intl.NumberFormat(language, { useGrouping: false, ...digits })))
  }
  return format.format(value)
}
