// Digits as keyboards of the world have them: Arabic ٠–٩, Persian ۰–۹, full-width ０–９ and others.

/** 0 to 9 for the digits of every script, and plain signs between them, as in phone numbers and postal codes. */
export function plainDigits(text: string): string {
  return text
    .replaceAll(/[\uff01-\uff5e\u3000]+/g, (wide) => wide.normalize('NFKC'))
    .replaceAll(/[\u2010-\u2015\u2212\u30fc]/g, '-')
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[^\P{Nd}\d]/gu, (digit) => String(toDigitValue(digit.codePointAt(0)!)))
}

/** Unicode has the ten digits of a script in a row, from zero on. */
function toDigitValue(digit: number): number {
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(digit - before - 1))) before++
  return before % 10
}
