import { domainToASCII } from 'node:url'

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
export const maxEmailLength = 254

/**
 * The address with its domain in ASCII (RFC 5891), as browsers and mail servers write it: one spelling for one mailbox.
 * A domain that is none stays as it is.
 */
export function withAsciiDomain(address: string): string {
  const start = address.lastIndexOf('@') + 1
  const domain = address.slice(start)
  if (start === 0 || isAscii.test(domain)) return address
  return address.slice(0, start) + (domainToASCII(domain) || domain)
}

const isAscii = /^[\x00-\x7f]*$/
