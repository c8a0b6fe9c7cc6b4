// Global Trade Item Numbers: the barcodes that mean the same product everywhere.

/** The GTIN of a barcode; null for a merchant's own code. Spaces and hyphens, as in an ISBN, do not count. */
export function toGtin(barcode: string | null): string | null {
  const digits = barcode?.replaceAll(/[\s-]/g, '') ?? ''
  return /^(\d{8}|\d{12,14})$/.test(digits) && hasCheckDigit(digits) ? digits : null
}

/** GS1 General Specifications §7.9.1: from the right, every other digit counts three times. */
function hasCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}
